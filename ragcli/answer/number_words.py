"""Tables of number words and units: English first, with the common ones of German, French and Spanish."""

from __future__ import annotations

from ragcli.answer.words import listed


def _numbered(text: str, start: int, step: int = 1) -> dict[str, int]:
    return {word: start + step * index for index, word in enumerate(text.split())}


SMALL = _numbered(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen""",
    0,
)
TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
_FOREIGN = {
    **_numbered("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", 2),
    **_numbered("zwanzig dreißig vierzig fünfzig", 20, 10),
    **_numbered("deux trois quatre cinq", 2),
    **_numbered("dos tres cuatro cinco seis siete ocho nueve diez", 2),
    "sept": 7, "huit": 8, "dix": 10, "douze": 12, "hundert": 100, "tausend": 1000,
}  # fmt: skip
ORDINALS = {
    word: value
    for word, value in _numbered(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 1
    ).items()
    if word != "second"  # also a unit of time
}
WORD_VALUES = {**SMALL, **TENS, **_FOREIGN, "dozen": 12}
SCALES = {
    **dict.fromkeys(listed("hundred"), 100),
    **dict.fromkeys(listed("thousand k tausend"), 1000),
    **dict.fromkeys(listed("million millions mio mn millionen"), 10**6),
    **dict.fromkeys(listed("billion billions bn mrd milliarden milliarde"), 10**9),
    **dict.fromkeys(listed("trillion trillions"), 10**12),
}
NOT_A_COUNT = listed(
    """of another can could should would must may might who that is was has the this any no which each every"""
)
UNITS = {
    name: unit
    for unit, names in {
        "second": "second seconds sec secs s sekunde sekunden seconde secondes segundo segundos",
        "minute": "minute minutes min mins minuten minuto minutos",
        "hour": "hour hours hr hrs h stunde stunden heure heures hora horas",
        "day": """day days weekday weekdays
            tag tage tagen werktag werktage werktagen arbeitstag arbeitstage arbeitstagen
            jour jours día días""",
        "week": "week weeks woche wochen semaine semaines semana semanas",
        "month": "month months monat monate monaten mois mes meses",
        "quarter": "quarter quarters quartal quartale",
        "year": "year years yr yrs jahr jahre jahren an ans année années año años",
        "percent": "percent % prozent pct percentage",
        "euro": "euro euros eur €",
        "dollar": "dollar dollars usd $",
        "pound": "pounds gbp £",
        "km": "km kilometre kilometres kilometer kilometers",
        "mile": "mile miles",
        "metre": "metre metres meter meters",
        "kg": "kg kilogram kilograms kilo kilos",
        "kb": "kb kilobyte kilobytes",
        "mb": "mb megabyte megabytes",
        "gb": "gb gigabyte gigabytes",
        "tb": "tb terabyte terabytes",
        "ms": "ms millisecond milliseconds",
    }.items()
    for name in names.split()
}
