"""The reader: the packaged sentence encoder, read as a cross-encoder with a score and the ends of an answer.

Three losses: whether the passage answers (binary), which of a question's passages answers (softmax within the group),
and where (softmax over tokens, with ``[CLS]`` for nowhere, as Devlin et al. 2019 read SQuAD 2.0).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from tests.training.tokens import MODEL_FOLDER, Batch

RANK_WEIGHT, SPAN_WEIGHT = 0.5, 1.0


class Reader(nn.Module):
    """Question and passage to a score (a logit) and two logits a token, of the answer's first and last."""

    def __init__(self, attention: str = "sdpa") -> None:
        super().__init__()
        self.encoder = BertModel.from_pretrained(MODEL_FOLDER, add_pooling_layer=False, attn_implementation=attention)
        size = self.encoder.config.hidden_size
        self.pool = nn.Linear(size, size)
        self.score = nn.Linear(size, 1)
        self.ends = nn.Linear(size, 2)
        nn.init.zeros_(self.score.weight)
        nn.init.zeros_(self.score.bias)
        self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (rows) and ends (rows × tokens × 2), the ends of padding far below any other."""
        hidden = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
        scores = self.score(torch.tanh(self.pool(hidden[:, 0]))).squeeze(-1)
        outside = (1 - mask + (1 - types)).clamp(max=1).index_fill(1, torch.zeros(1, dtype=torch.long), 0)
        ends = self.ends(hidden) - 1e4 * outside.unsqueeze(-1).to(hidden.dtype)
        return scores, ends


def tensors(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """The inputs of a batch."""
    return torch.from_numpy(batch.ids), torch.from_numpy(batch.mask), torch.from_numpy(batch.types)


def losses(scores: Tensor, ends: Tensor, batch: Batch) -> dict[str, Tensor]:
    """``answers``, ``ranks`` and ``span``, each a mean over the rows or groups that have one."""
    labels = torch.from_numpy(batch.answerable)
    first, last = torch.from_numpy(batch.first), torch.from_numpy(batch.last)
    scores, ends = scores.float(), ends.float()
    marked = (first >= 0).any()
    span = (
        functional.cross_entropy(ends[..., 0], first, ignore_index=-1)
        + functional.cross_entropy(ends[..., 1], last, ignore_index=-1)
    ) / 2
    return {
        "answers": functional.binary_cross_entropy_with_logits(scores, labels),
        "ranks": _rank_loss(scores, labels, torch.from_numpy(batch.groups)),
        "span": span if marked else scores.sum() * 0,
    }


def total(parts: dict[str, Tensor]) -> Tensor:
    """The loss that is minimised."""
    return parts["answers"] + RANK_WEIGHT * parts["ranks"] + SPAN_WEIGHT * parts["span"]


def _rank_loss(scores: Tensor, labels: Tensor, groups: Tensor) -> Tensor:
    """Minus the log of the answering rows' share in the softmax of their group, over the groups with both kinds."""
    same = groups.unsqueeze(0) == torch.arange(int(groups.max()) + 1).unsqueeze(1)
    far_below = torch.finfo(scores.dtype).min
    everything = torch.where(same, scores, far_below).logsumexp(1)
    answering = same & (labels > 0.5)
    mixed = answering.any(1) & (same & (labels < 0.5)).any(1)
    if not mixed.any():
        return scores.sum() * 0
    return (everything - torch.where(answering, scores, far_below).logsumexp(1))[mixed].mean()


def span_margin(ends: Tensor, longest: int = 30) -> Tensor:
    """The best span's logits less those of no answer, a row: first ≤ last < first + ``longest``, outside ``[CLS]``."""
    first, last = ends[..., 0].float(), ends[..., 1].float()
    nowhere = first[:, 0] + last[:, 0]
    pairs = first[:, 1:, None] + last[:, None, 1:]
    allowed = torch.ones_like(pairs[0], dtype=torch.bool).triu().tril(longest - 1)
    return pairs.masked_fill(~allowed, -2e4).flatten(1).max(1).values - nowhere
