"""A question to ranked chunks: filter, two legs, fusion, reranking."""
