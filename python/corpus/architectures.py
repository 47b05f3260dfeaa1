# SPDX-License-Identifier: Apache-2.0
"""Architectures of transformers in sizes that train in milliseconds, with inputs.

Each is built from a configuration, with random weights and dropout: nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers as hf

B, T, C, L, H, V = 2, 48, 64, 2, 4, 99  # batch, tokens, channels, layers, heads, vocabulary

Inputs = dict[str, Any]


@dataclass(frozen=True)
class Architecture:
    name: str
    make: Callable[[], tuple[torch.nn.Module, Inputs]]


ARCHITECTURES: dict[str, Architecture] = {}


def architecture(function: Callable[[], tuple[torch.nn.Module, Inputs]]):
    name = function.__name__.removeprefix("_")
    ARCHITECTURES[name] = Architecture(name, function)
    return function


def tokens(length: int = T) -> torch.Tensor:
    return torch.randint(3, V, (B, length))


def with_labels(ids: torch.Tensor | None = None) -> Inputs:
    ids = tokens() if ids is None else ids
    return {"input_ids": ids, "labels": ids.clone()}


def padded(inputs: Inputs, by: int = 5) -> Inputs:
    mask = torch.ones_like(inputs["input_ids"])
    mask[0, -by:] = 0
    return {**inputs, "attention_mask": mask}


def classes(n: int = B) -> torch.Tensor:
    return torch.randint(0, 2, (n,))


def pixels(size: int = 32, channels: int = 3) -> torch.Tensor:
    return torch.randn(B, channels, size, size)


# Sizes under the names that most configurations use.
SIZES = {
    "vocab_size": V,
    "hidden_size": C,
    "num_hidden_layers": L,
    "num_attention_heads": H,
    "intermediate_size": 2 * C,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GATED = SIZES | {"num_key_value_heads": 2, "attention_dropout": 0.1}


# Decoders of text.
@architecture
def gpt2():
    config = hf.GPT2Config(vocab_size=V, n_embd=C, n_layer=L, n_head=H, n_positions=64)
    return hf.GPT2LMHeadModel(config), padded(with_labels())


@architecture
def gpt_neo():
    config = hf.GPTNeoConfig(
        vocab_size=V, hidden_size=C, num_layers=2, num_heads=H, window_size=8,
        attention_types=[[["global", "local"], 1]], max_position_embeddings=64,
        attention_dropout=0.1, embed_dropout=0.1, resid_dropout=0.1,
    )
    return hf.GPTNeoForCausalLM(config), padded(with_labels())


@architecture
def gpt_neox():
    config = hf.GPTNeoXConfig(**SIZES, hidden_dropout=0.1, attention_dropout=0.1)
    return hf.GPTNeoXForCausalLM(config), padded(with_labels())


@architecture
def gptj():
    config = hf.GPTJConfig(vocab_size=V, n_embd=C, n_layer=L, n_head=H, n_positions=64, rotary_dim=4,
                           resid_pdrop=0.1, attn_pdrop=0.1, embd_pdrop=0.1)
    return hf.GPTJForCausalLM(config), with_labels()


@architecture
def opt():
    config = hf.OPTConfig(
        vocab_size=V, hidden_size=C, num_hidden_layers=L, num_attention_heads=H, ffn_dim=2 * C,
        max_position_embeddings=64, word_embed_proj_dim=C, layerdrop=0.0, pad_token_id=0,
    )
    return hf.OPTForCausalLM(config), padded(with_labels())


@architecture
def bloom():
    config = hf.BloomConfig(vocab_size=V, hidden_size=C, n_layer=L, n_head=H,
                            hidden_dropout=0.1, attention_dropout=0.1)
    return hf.BloomForCausalLM(config), padded(with_labels())


@architecture
def llama():
    return hf.LlamaForCausalLM(hf.LlamaConfig(**GATED)), padded(with_labels())


@architecture
def mistral():
    return hf.MistralForCausalLM(hf.MistralConfig(**GATED, sliding_window=8)), with_labels()


@architecture
def mixtral():
    config = hf.MixtralConfig(**GATED, num_local_experts=4, num_experts_per_tok=2,
                              output_router_logits=True)
    return hf.MixtralForCausalLM(config), padded(with_labels())


@architecture
def qwen2():
    return hf.Qwen2ForCausalLM(hf.Qwen2Config(**GATED)), with_labels()


@architecture
def qwen2_moe():
    config = hf.Qwen2MoeConfig(**GATED, num_experts=4, num_experts_per_tok=2,
                               moe_intermediate_size=C, shared_expert_intermediate_size=C,
                               output_router_logits=True)
    return hf.Qwen2MoeForCausalLM(config), with_labels()


@architecture
def gemma():
    return hf.GemmaForCausalLM(hf.GemmaConfig(**GATED, head_dim=16)), with_labels()


@architecture
def phi():
    config = hf.PhiConfig(**GATED, resid_pdrop=0.1, embd_pdrop=0.1)
    return hf.PhiForCausalLM(config), with_labels()


@architecture
def falcon():
    config = hf.FalconConfig(vocab_size=V, hidden_size=C, num_hidden_layers=L,
                             num_attention_heads=H, hidden_dropout=0.1, attention_dropout=0.1,
                             pad_token_id=0, bos_token_id=1, eos_token_id=2)
    return hf.FalconForCausalLM(config), padded(with_labels())


# Encoders of text.
@architecture
def bert():
    return hf.BertForMaskedLM(hf.BertConfig(**SIZES)), padded(with_labels())


@architecture
def roberta():
    config = hf.RobertaConfig(**{**SIZES, "pad_token_id": 1, "bos_token_id": 0})
    return hf.RobertaForMaskedLM(config), padded(with_labels())


@architecture
def distilbert():
    config = hf.DistilBertConfig(vocab_size=V, dim=C, n_layers=L, n_heads=H, hidden_dim=2 * C,
                                 max_position_embeddings=64)
    return hf.DistilBertForMaskedLM(config), padded(with_labels())


@architecture
def albert():
    config = hf.AlbertConfig(**SIZES, embedding_size=16, hidden_dropout_prob=0.1,
                             attention_probs_dropout_prob=0.1)
    return hf.AlbertForMaskedLM(config), padded(with_labels())


@architecture
def electra():
    config = hf.ElectraConfig(**SIZES, embedding_size=16)
    return hf.ElectraForMaskedLM(config), padded(with_labels())


@architecture
def deberta():
    config = hf.DebertaV2Config(**SIZES, relative_attention=True, position_buckets=8,
                                pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm",
                                conv_kernel_size=3)
    return hf.DebertaV2ForSequenceClassification(config), padded(
        {"input_ids": tokens(), "labels": classes()})


@architecture
def xlnet():
    config = hf.XLNetConfig(vocab_size=V, d_model=C, n_layer=L, n_head=H, d_inner=2 * C, dropout=0.1)
    return hf.XLNetForSequenceClassification(config), padded(
        {"input_ids": tokens(), "labels": classes()})


@architecture
def longformer():
    config = hf.LongformerConfig(**SIZES, attention_window=8)
    inputs = padded({"input_ids": tokens(), "labels": classes()})
    inputs["global_attention_mask"] = torch.zeros_like(inputs["input_ids"])
    inputs["global_attention_mask"][:, 0] = 1
    return hf.LongformerForSequenceClassification(config), inputs


@architecture
def big_bird():
    config = hf.BigBirdConfig(**{**SIZES, "max_position_embeddings": 128}, block_size=8,
                              num_random_blocks=2, attention_type="block_sparse")
    ids = tokens(96)
    return hf.BigBirdForMaskedLM(config), with_labels(ids)


@architecture
def reformer():
    config = hf.ReformerConfig(
        vocab_size=V, hidden_size=C, attention_head_size=16, num_attention_heads=H,
        feed_forward_size=2 * C, attn_layers=["local", "lsh"], axial_pos_shape=(6, 8),
        axial_pos_embds_dim=(32, 32), local_attn_chunk_length=4, lsh_attn_chunk_length=4,
        num_hashes=2, num_buckets=4, max_position_embeddings=48, is_decoder=True, hash_seed=0,
    )
    return hf.ReformerModelWithLMHead(config), with_labels()


@architecture
def fnet():
    return hf.FNetForMaskedLM(hf.FNetConfig(**SIZES, type_vocab_size=2)), with_labels()


# Encoders with decoders.
@architecture
def t5():
    config = hf.T5Config(vocab_size=V, d_model=C, d_kv=16, d_ff=2 * C, num_layers=L, num_heads=H,
                         decoder_start_token_id=0)
    return hf.T5ForConditionalGeneration(config), padded(with_labels())


@architecture
def bart():
    config = hf.BartConfig(
        vocab_size=V, d_model=C, encoder_layers=L, decoder_layers=L, encoder_attention_heads=H,
        decoder_attention_heads=H, encoder_ffn_dim=2 * C, decoder_ffn_dim=2 * C,
        max_position_embeddings=64, dropout=0.1, attention_dropout=0.1, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2,
    )
    return hf.BartForConditionalGeneration(config), padded(with_labels())


# Without attention.
@architecture
def mamba():
    config = hf.MambaConfig(vocab_size=V, hidden_size=C, state_size=8, num_hidden_layers=L)
    return hf.MambaForCausalLM(config), with_labels()


@architecture
def mamba2():
    config = hf.Mamba2Config(vocab_size=V, hidden_size=C, state_size=8, num_hidden_layers=L,
                             num_heads=8, head_dim=16, n_groups=2, chunk_size=8)
    return hf.Mamba2ForCausalLM(config), with_labels()


@architecture
def rwkv():
    config = hf.RwkvConfig(vocab_size=V, hidden_size=C, num_hidden_layers=L, attention_hidden_size=C,
                           intermediate_size=2 * C, context_length=64)
    return hf.RwkvForCausalLM(config), with_labels()


# Images.
@architecture
def vit():
    config = hf.ViTConfig(**_vision(), image_size=32, patch_size=8)
    return hf.ViTForImageClassification(config), {"pixel_values": pixels(), "labels": classes()}


def _vision() -> dict[str, Any]:
    return {
        "hidden_size": C, "num_hidden_layers": L, "num_attention_heads": H,
        "intermediate_size": 2 * C, "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
    }


@architecture
def deit():
    config = hf.DeiTConfig(**_vision(), image_size=32, patch_size=8)
    return hf.DeiTForImageClassification(config), {"pixel_values": pixels(), "labels": classes()}


@architecture
def beit():
    config = hf.BeitConfig(**_vision(), image_size=32, patch_size=8, vocab_size=V,
                           drop_path_rate=0.2, use_relative_position_bias=True)
    return hf.BeitForImageClassification(config), {"pixel_values": pixels(), "labels": classes()}


@architecture
def swin():
    config = hf.SwinConfig(image_size=32, patch_size=2, embed_dim=16, depths=[1, 2], num_heads=[2, 4],
                           window_size=4, hidden_dropout_prob=0.1, drop_path_rate=0.2)
    return hf.SwinForImageClassification(config), {"pixel_values": pixels(), "labels": classes()}


@architecture
def convnext():
    config = hf.ConvNextConfig(hidden_sizes=[8, 16], depths=[1, 2], num_stages=2, drop_path_rate=0.2)
    return hf.ConvNextForImageClassification(config), {
        "pixel_values": pixels(), "labels": classes()}


@architecture
def resnet():
    config = hf.ResNetConfig(embedding_size=8, hidden_sizes=[16, 32], depths=[1, 2],
                             layer_type="bottleneck")
    return hf.ResNetForImageClassification(config), {"pixel_values": pixels(), "labels": classes()}


@architecture
def mobilenet():
    config = hf.MobileNetV2Config(image_size=32, depth_multiplier=0.25)
    return hf.MobileNetV2ForImageClassification(config), {
        "pixel_values": pixels(), "labels": classes()}


@architecture
def segformer():
    config = hf.SegformerConfig(
        num_encoder_blocks=2, depths=[1, 1], sr_ratios=[4, 2], hidden_sizes=[16, 32],
        patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2],
        decoder_hidden_size=32, drop_path_rate=0.2, hidden_dropout_prob=0.1,
    )
    return hf.SegformerForSemanticSegmentation(config), {
        "pixel_values": pixels(), "labels": torch.randint(0, 2, (B, 32, 32))}


@architecture
def detr():
    backbone = hf.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1],
                               layer_type="basic", out_features=["stage4"])
    config = hf.DetrConfig(
        backbone_config=backbone, use_timm_backbone=False, use_pretrained_backbone=False,
        d_model=C, encoder_layers=L, decoder_layers=L, encoder_attention_heads=H,
        decoder_attention_heads=H, encoder_ffn_dim=2 * C, decoder_ffn_dim=2 * C, num_queries=6,
        dropout=0.1, attention_dropout=0.1,
    )
    return hf.DetrForObjectDetection(config), {"pixel_values": pixels(64)}


@architecture
def videomae():
    config = hf.VideoMAEConfig(**_vision(), image_size=16, patch_size=8, num_frames=4, tubelet_size=2)
    return hf.VideoMAEForVideoClassification(config), {
        "pixel_values": torch.randn(B, 4, 3, 16, 16), "labels": classes()}


# Images with text.
@architecture
def clip():
    text = {**SIZES, "attention_dropout": 0.1}
    vision = {"hidden_size": C, "num_hidden_layers": L, "num_attention_heads": H,
              "intermediate_size": 2 * C, "image_size": 32, "patch_size": 8,
              "attention_dropout": 0.1}
    config = hf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=16)
    return hf.CLIPModel(config), {"input_ids": tokens(), "pixel_values": pixels(),
                                  "return_loss": True}


# Sound.
@architecture
def whisper():
    config = hf.WhisperConfig(
        vocab_size=V, d_model=C, encoder_layers=L, decoder_layers=L, encoder_attention_heads=H,
        decoder_attention_heads=H, encoder_ffn_dim=2 * C, decoder_ffn_dim=2 * C, num_mel_bins=16,
        max_source_positions=20, max_target_positions=32, dropout=0.1, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, apply_spec_augment=True,
        mask_time_length=4,
    )
    return hf.WhisperForConditionalGeneration(config), {
        "input_features": torch.randn(B, 16, 40), "labels": tokens(10)}


def _speech() -> dict[str, Any]:
    return {
        **_vision(), "vocab_size": V, "conv_dim": (16, 16), "conv_kernel": (10, 3),
        "conv_stride": (5, 2), "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 16,
        "num_conv_pos_embedding_groups": 2, "hidden_dropout": 0.1, "layerdrop": 0.0,
        "mask_time_length": 4,
    }


@architecture
def wav2vec2():
    return hf.Wav2Vec2ForCTC(hf.Wav2Vec2Config(**_speech())), {
        "input_values": torch.randn(B, 800), "labels": tokens(8)}


@architecture
def hubert():
    return hf.HubertForCTC(hf.HubertConfig(**_speech())), {
        "input_values": torch.randn(B, 800), "labels": tokens(8)}


# Time series.
@architecture
def autoformer():
    config = hf.AutoformerConfig(
        prediction_length=4, context_length=12, lags_sequence=[1, 2], num_time_features=1,
        d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, label_length=6,
        moving_average=5,
    )
    past = 14
    return hf.AutoformerForPrediction(config), {
        "past_values": torch.randn(B, past), "past_time_features": torch.randn(B, past, 1),
        "past_observed_mask": torch.ones(B, past), "future_values": torch.randn(B, 4),
        "future_time_features": torch.randn(B, 4, 1)}
