"""The answer a model writes: one request, a structured result, and a way on when the server knows no schemas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragcli.answer.model import prompt
from ragcli.answer.model.anthropic import Message, MessagesClient
from ragcli.answer.model.reply import ClaimStream, Reply, read_cited, read_prose, read_structured, read_tagged
from ragcli.config import AnswerConfig
from ragcli.errors import ModelError
from ragcli.records import Claim, Completion, Passage, Usage

PROVIDER = "anthropic"
_REPAIR = (
    "That reply could not be read. Give the same answer again in exactly this form and nothing else:\n"
    + prompt.TAGGED_FORMAT.strip()
)


class WrittenAnswerer:
    """A ``Generator`` behind the Messages API."""

    def __init__(self, config: AnswerConfig, client: MessagesClient) -> None:
        self._config = config
        self._client = client
        self._schema = True

    @property
    def client(self) -> MessagesClient:
        """The connection, for what else is asked of the same model."""
        return self._client

    def request(self, question: str, passages: Sequence[Passage]) -> dict[str, Any]:
        """The body of the request as ``generate`` sends it first."""
        return prompt.request(
            question, passages, model=self._config.model, max_tokens=self._config.max_tokens, schema=self._schema
        )

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

        body = self.request(question, passages)
        streamed = give if on_claim is not None and self._schema else None
        try:
            message = self._sent(body, streamed)
        except ModelError as error:
            if not (self._schema and _knows_no_schema(error)):
                raise
            self._schema = False
            body = self.request(question, passages)
            message = self._sent(body, None)
        made = self._completion(body, message)
        for claim in made.claims[len(given) :]:
            give(claim)
        return made

    def _sent(self, body: dict[str, Any], on_claim: Callable[[Claim], None] | None) -> Message:
        if on_claim is None:
            message = self._client.send(body)
        else:
            stream, give = ClaimStream(), on_claim

            def on_text(piece: str) -> None:
                for claim in stream.feed(piece):
                    give(claim)

            message = self._client.stream(body, on_text)
        if message.stop_reason in ("max_tokens", "model_context_window_exceeded"):
            raise ModelError(
                f"the answer was cut off after {message.usage.output_tokens} tokens (answer.max_tokens is "
                f"{self._config.max_tokens})",
                hint="raise answer.max_tokens",
                category="cut_off",
            )
        return message

    def _completion(self, body: dict[str, Any], message: Message) -> Completion:
        usage = message.usage
        reply = read_structured(message.text) or read_tagged(message.text) or read_cited(message.content)
        if reply is None:
            repaired = self._repaired(body, message)
            usage = usage + repaired.usage
            reply = (
                read_tagged(repaired.text)
                or read_structured(repaired.text)
                or read_prose(repaired.text if repaired.text.strip() else message.text)
            )
        return completion(reply, model=message.model or self._config.model, usage=usage)

    def _repaired(self, body: dict[str, Any], message: Message) -> Message:
        """One more try, in the tagged form, with the reply that could not be read before it."""
        said = message.text.strip() or "(nothing)"
        again = {name: value for name, value in body.items() if name != "output_config"}
        again["messages"] = [
            *body["messages"],
            {"role": "assistant", "content": said},
            {"role": "user", "content": _REPAIR},
        ]
        return self._sent(again, None)


def completion(reply: Reply, *, model: str, usage: Usage) -> Completion:
    """What was read, as a completion."""
    return Completion(
        found=reply.found,
        claims=reply.claims,
        provider=PROVIDER,
        model=model,
        usage=usage,
        not_found_reason=None if reply.found else "model_declined",
    )


def _knows_no_schema(error: ModelError) -> bool:
    """A server that rejects the request for its output format."""
    said = error.message.casefold()
    return error.category == "bad_request" and any(
        word in said
        for word in ("output_config", "output_format", "json_schema", "schema", "extra inputs", "unknown field")
    )
