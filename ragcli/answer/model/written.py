"""The answer a model writes: one request, a structured result, and a way on when the server knows no schemas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragcli.answer.model import prompt
from ragcli.answer.model.message import CUT_OFF, Message, ModelClient
from ragcli.answer.model.reply import (
    ClaimStream,
    Reply,
    read_begun,
    read_cited,
    read_prose,
    read_structured,
    read_tagged,
)
from ragcli.config import AnswerConfig
from ragcli.errors import ModelError
from ragcli.records import Claim, Completion, Passage, Usage

_REPAIR = (
    "That reply could not be read. Give the same answer again in exactly this form and nothing else:\n"
    + prompt.TAGGED_FORMAT.strip()
)


class WrittenAnswerer:
    """A ``Generator`` behind a model's server."""

    def __init__(self, config: AnswerConfig, client: ModelClient) -> None:
        self._config = config
        self._client = client
        self._schema = prompt.schema_first(client.endpoint.service, is_own=client.endpoint.is_own)

    @property
    def client(self) -> ModelClient:
        """The connection, for what else is asked of the same model."""
        return self._client

    def generate(self, question: str, passages: Sequence[Passage]) -> Completion:
        """The model's answer, not yet checked. Raises ModelError when it cannot be had."""
        return self.generate_streaming(question, passages, None)

    def generate_streaming(
        self, question: str, passages: Sequence[Passage], on_claim: Callable[[Claim], None] | None
    ) -> Completion:
        """``generate``, with each claim given to ``on_claim`` as soon as the model has written it."""
        given: list[Claim] = []

        def give(claim: Claim) -> None:
            given.append(claim)
            if on_claim is not None:
                on_claim(claim)

        streamed = give if on_claim is not None else None
        try:
            body = self._request(question, passages)
            message = self._sent(body, streamed)
        except ModelError as error:
            if not (self._schema and not given and _knows_no_schema(error)):
                raise
            self._schema = False
            body = self._request(question, passages)
            message = self._sent(body, streamed)
        made = self._completion(body, message, given)
        for claim in made.claims[len(given) :]:
            give(claim)
        return made

    def _request(self, question: str, passages: Sequence[Passage]) -> dict[str, Any]:
        settings = self._config
        return prompt.request(
            question, passages, model=settings.model, max_tokens=settings.max_tokens, schema=self._schema
        )

    def _sent(self, body: dict[str, Any], on_claim: Callable[[Claim], None] | None) -> Message:
        if on_claim is None:
            return self._client.send(body)
        stream = ClaimStream()
        for piece in self._client.stream(body):
            if isinstance(piece, Message):
                return piece
            for claim in stream.feed(piece):
                on_claim(claim)
        raise AssertionError("a stream ends with the whole message")

    def _completion(self, body: dict[str, Any], message: Message, given: Sequence[Claim]) -> Completion:
        if message.stop_reason in CUT_OFF:
            return self._cut_off(message)
        usage, text = message.usage, message.text
        reply = read_structured(text) or read_tagged(text) or read_cited(message.content)
        if reply is None and given:
            return self._made(Reply(True, tuple(given)), message, usage, "the end of its reply could not be read")
        if reply is None:
            again = self._repaired(body, message)
            usage = usage + again.usage
            if again.stop_reason in CUT_OFF:
                return self._cut_off(again, message.usage)
            reply = read_tagged(again.text) or read_structured(again.text) or _as_prose(again.text, text)
        if reply is None:
            raise empty_reply(message.model or self._config.model)
        return self._made(reply, message, usage)

    def _cut_off(self, message: Message, before: Usage | None = None) -> Completion:
        """What was complete of an answer that was too long. Raises ModelError when nothing was."""
        tokens, limit = message.usage.output_tokens, self._config.max_tokens
        why, hint = f"answer.max_tokens is {limit}", "raise answer.max_tokens; a model that thinks first needs more"
        if 0 < tokens < limit:
            why, hint = "the context of the server is full", "give the server a longer one, or lower answer.passages"
        said = f"the answer was cut off after {tokens} tokens ({why})"
        reply = read_begun(message.text)
        if reply is None:
            raise ModelError(said, hint=hint, category="cut_off")
        shown = ": what was complete is shown" if reply.found else ""
        return self._made(reply, message, (before or Usage()) + message.usage, said + shown)

    def _made(self, reply: Reply, message: Message, usage: Usage, *notices: str) -> Completion:
        provider, model = self._client.endpoint.service.provider, message.model or self._config.model
        return completion(reply, provider=provider, model=model, usage=usage, notices=notices)

    def _repaired(self, body: dict[str, Any], message: Message) -> Message:
        """One more try, in the tagged form, with the reply that could not be read before it."""
        said = message.text.strip() or "(nothing)"
        again = {name: value for name, value in body.items() if name != "output_config"}
        again["messages"] = [
            *body["messages"],
            {"role": "assistant", "content": said},
            {"role": "user", "content": _REPAIR},
        ]
        return self._client.send(again)


def completion(reply: Reply, *, provider: str, model: str, usage: Usage, notices: Sequence[str] = ()) -> Completion:
    """What was read, as a completion."""
    return Completion(
        found=reply.found,
        claims=reply.claims,
        provider=provider,
        model=model,
        usage=usage,
        not_found_reason=None if reply.found else "model_declined",
        notices=tuple(notices),
    )


def empty_reply(model: str) -> ModelError:
    """The error for a reply in which nothing is said: that is no word about the documents."""
    return ModelError(
        f"{model} gave an empty answer",
        hint="ask again; or check that answer.model is one that follows instructions",
        category="empty_reply",
    )


def _as_prose(*texts: str) -> Reply | None:
    """The first of the texts in which something is said."""
    return next((reply for reply in map(read_prose, texts) if reply.claims), None)


def _knows_no_schema(error: ModelError) -> bool:
    """A server that rejects the request for its output format."""
    said = error.message.casefold()
    return error.category == "bad_request" and any(
        word in said
        for word in (
            *("output_config", "output_format", "response_format", "json_schema", "schema"),
            *("extra inputs", "unknown field", "structured output"),
        )
    )
