# SPDX-License-Identifier: Apache-2.0
"""The steps that are recorded: each builder returns a function that runs forward and gives the loss.

Small enough for one CPU thread and for the repository, of kinds that the planners were not tuned on.
"""
import torch
from torch import nn
from torch.nn import functional as F


def conv_norm(inputs, outputs, size=3, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
                         nn.BatchNorm2d(outputs))


class DenseLayer(nn.Module):
    """Adds `growth` channels; every layer of the block sees those of all before it."""

    def __init__(self, channels, growth):
        super().__init__()
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(4 * growth)
        self.conv1 = nn.Conv2d(channels, 4 * growth, 1, bias=False)
        self.conv2 = nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)

    def forward(self, features):
        h = F.relu(self.norm1(torch.cat(features, 1)), inplace=True)
        return self.conv2(F.relu(self.norm2(self.conv1(h)), inplace=True))


class DenseNet(nn.Module):
    def __init__(self, growth=12, layers=(6, 10, 8), classes=10):
        super().__init__()
        self.stem = conv_norm(3, 2 * growth)
        channels = 2 * growth
        self.blocks, self.transitions = nn.ModuleList(), nn.ModuleList()
        for count in layers:
            self.blocks.append(nn.ModuleList(
                DenseLayer(channels + i * growth, growth) for i in range(count)))
            channels += count * growth
            self.transitions.append(nn.Sequential(
                nn.BatchNorm2d(channels), nn.ReLU(inplace=True),
                nn.Conv2d(channels, channels // 2, 1, bias=False), nn.AvgPool2d(2)))
            channels //= 2
        self.head = nn.Linear(channels, classes)

    def forward(self, images):
        h = F.relu(self.stem(images), inplace=True)
        for block, transition in zip(self.blocks, self.transitions):
            features = [h]
            for layer in block:
                features.append(layer(features))
            h = transition(torch.cat(features, 1))
        return self.head(h.mean((2, 3)))


def densenet():
    model = DenseNet()
    images, classes = torch.randn(16, 3, 48, 48), torch.randint(10, (16,))
    return model, lambda: F.cross_entropy(model(images), classes)


class GruAttention(nn.Module):
    """A GRU reads, step by step; another one writes, and asks all states of the first at each step."""

    def __init__(self, inputs=96, width=128, classes=32):
        super().__init__()
        self.lower, self.upper = nn.GRUCell(inputs, width), nn.GRUCell(width, width)
        self.query, self.out = nn.Linear(width, width), nn.Linear(width, classes)
        self.width = width

    def forward(self, sequence):
        h = sequence.new_zeros(sequence.shape[1], self.width)
        states = []
        for x in sequence:
            h = self.lower(x, h)
            states.append(h)
        states = torch.stack(states, 1)
        outputs = []
        for x in F.dropout(states, 0.1, self.training).unbind(1):
            scores = states @ self.query(h)[:, :, None] * self.width ** -0.5
            h = self.upper(x + (scores.softmax(1).transpose(1, 2) @ states)[:, 0], h)
            outputs.append(h)
        return self.out(torch.stack(outputs, 1))


def gru_attention():
    model = GruAttention()
    sequence, classes = torch.randn(36, 64, 96), torch.randint(32, (64, 36))
    return model, lambda: F.cross_entropy(model(sequence).flatten(0, 1), classes.flatten())


class Attention(nn.Module):
    """Written out, with dropout on the scores."""

    def __init__(self, width, heads, is_causal=False):
        super().__init__()
        self.q, self.kv = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out, self.heads, self.is_causal = nn.Linear(width, width), heads, is_causal

    def forward(self, x, context):
        def split(t):
            return t.view(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)
        q = split(self.q(x))
        k, v = (split(part) for part in self.kv(context).chunk(2, -1))
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if self.is_causal:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(mask, float("-inf"))
        scores = F.dropout(scores.softmax(-1), 0.1, self.training)
        return self.out((scores @ v).transpose(1, 2).flatten(2))


class TransformerLayer(nn.Module):
    def __init__(self, width, heads, is_decoder):
        super().__init__()
        self.attention = Attention(width, heads, is_causal=is_decoder)
        self.cross = Attention(width, heads) if is_decoder else None
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3 if is_decoder else 2))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, memory=None):
        def dropped(t):
            return F.dropout(t, 0.1, self.training)
        h = self.norms[0](x)
        x = x + dropped(self.attention(h, h))
        if self.cross is not None:
            x = x + dropped(self.cross(self.norms[1](x), memory))
        return x + dropped(self.down(F.relu(self.up(self.norms[-1](x)))))


class EncoderDecoder(nn.Module):
    def __init__(self, words=512, width=128, heads=4, layers=4):
        super().__init__()
        self.source, self.target = nn.Embedding(words, width), nn.Embedding(words, width)
        self.encoder = nn.ModuleList(TransformerLayer(width, heads, False) for _ in range(layers))
        self.decoder = nn.ModuleList(TransformerLayer(width, heads, True) for _ in range(layers))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, source, target):
        memory, x = self.source(source), self.target(target)
        for layer in self.encoder:
            memory = layer(memory)
        for layer in self.decoder:
            x = layer(x, memory)
        return self.out(self.norm(x))


def encoder_decoder():
    model = EncoderDecoder()
    source, target = torch.randint(512, (8, 128)), torch.randint(512, (8, 97))
    return model, lambda: F.cross_entropy(model(source, target[:, :-1]).flatten(0, 1),
                                          target[:, 1:].flatten())


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = conv_norm(inputs, outputs, stride=stride)
        self.second = conv_norm(outputs, outputs)
        self.skip = conv_norm(inputs, outputs, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        h = self.second(F.relu(self.first(x), inplace=True))
        h += self.skip(x)
        return F.relu(h, inplace=True)


class Pyramid(nn.Module):
    """A backbone whose four levels are merged from the top down; the same heads read each of them."""

    def __init__(self, width=16, merged=48, classes=8):
        super().__init__()
        self.stem = conv_norm(3, width, stride=2)
        self.stages, self.laterals, self.smooth = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for level in range(4):
            inputs, outputs = width * 2 ** max(level - 1, 0), width * 2 ** level
            self.stages.append(nn.Sequential(Residual(inputs, outputs, 2 if level else 1),
                                             Residual(outputs, outputs, 1)))
            self.laterals.append(nn.Conv2d(outputs, merged, 1))
            self.smooth.append(nn.Conv2d(merged, merged, 3, padding=1))

        def head(outputs):
            return nn.Sequential(nn.Conv2d(merged, merged, 3, padding=1), nn.ReLU(),
                                 nn.Conv2d(merged, merged, 3, padding=1), nn.ReLU(),
                                 nn.Conv2d(merged, outputs, 3, padding=1))
        self.classify, self.locate = head(classes), head(4)

    def forward(self, images):
        h, levels = F.relu(self.stem(images), inplace=True), []
        for stage in self.stages:
            h = stage(h)
            levels.append(h)
        merged, above = [], None
        for h, lateral, smooth in reversed(list(zip(levels, self.laterals, self.smooth))):
            h = lateral(h)
            above = h if above is None else h + F.interpolate(above, scale_factor=2)
            merged.append(smooth(above))
        return [(self.classify(m), self.locate(m)) for m in merged]


def feature_pyramid():
    model = Pyramid()
    images = torch.randn(4, 3, 128, 128)
    sizes = [128 // 2 ** (4 - level) for level in range(4)]
    classes = [torch.randint(8, (4, size, size)) for size in sizes]
    boxes = [torch.randn(4, 4, size, size) for size in sizes]

    def loss():
        total = 0
        for (scores, places), wanted, box in zip(model(images), classes, boxes):
            total = total + F.cross_entropy(scores, wanted) + F.smooth_l1_loss(places, box)
        return total
    return model, loss


class AudioEncoder(nn.Module):
    """Convolutions over the raw wave, whose first outputs are the largest by far, then attention."""

    def __init__(self, width=128, heads=4, layers=4, classes=40):
        super().__init__()
        self.front = nn.ModuleList()
        for i, (inputs, outputs, size, stride) in enumerate(
                [(1, 64, 10, 5), (64, 64, 4, 2), (64, 96, 4, 2), (96, 128, 4, 2), (128, width, 4, 2)]):
            norm = nn.GroupNorm(outputs, outputs) if i == 0 else nn.Identity()
            self.front.append(nn.Sequential(nn.Conv1d(inputs, outputs, size, stride), norm, nn.GELU()))
        self.position = nn.Conv1d(width, width, 15, padding=7, groups=8)
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.project = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.feed = nn.ModuleList(nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                                nn.Dropout(0.1), nn.Linear(4 * width, width),
                                                nn.Dropout(0.1)) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * layers + 1))
        self.out, self.heads = nn.Linear(width, classes), heads

    def forward(self, wave):
        h = wave[:, None]
        for layer in self.front:
            h = layer(h)
        h = (h + F.gelu(self.position(h))).transpose(1, 2)
        for i, (qkv, project, feed) in enumerate(zip(self.qkv, self.project, self.feed)):
            q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                       for part in qkv(self.norms[2 * i](h)).chunk(3, -1))
            attended = F.scaled_dot_product_attention(q, k, v)
            h = h + F.dropout(project(attended.transpose(1, 2).flatten(2)), 0.1, self.training)
            h = h + feed(self.norms[2 * i + 1](h))
        return self.out(self.norms[-1](h))


def audio_encoder():
    model = AudioEncoder()
    wave, classes = torch.randn(4, 16000), torch.randint(40, (4, 198))
    return model, lambda: F.cross_entropy(model(wave).transpose(1, 2), classes)


class StateSpace(nn.Module):
    """Layers of a selective state-space model, their scan written as a loop over time."""

    def __init__(self, width=64, state=8, layers=3, words=64):
        super().__init__()
        self.embed, self.state = nn.Embedding(words, width), state
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.inner = nn.ModuleList(nn.Linear(width, 4 * width) for _ in range(layers))
        self.conv = nn.ModuleList(nn.Conv1d(2 * width, 2 * width, 4, padding=3, groups=2 * width)
                                  for _ in range(layers))
        self.select = nn.ModuleList(nn.Linear(2 * width, 2 * state + 1) for _ in range(layers))
        self.decay = nn.ParameterList(torch.rand(2 * width, state) for _ in range(layers))
        self.outer = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))
        self.out = nn.Linear(width, words)

    def mix(self, x, select, decay):
        b, c, step = select(x).split([self.state, self.state, 1], -1)
        step = F.softplus(step)
        h, outputs = x.new_zeros(x.shape[0], x.shape[2], self.state), []
        for t in range(x.shape[1]):
            keep = torch.exp(-step[:, t, :, None] * decay)
            h = h * keep + (step[:, t] * x[:, t])[:, :, None] * b[:, t, None, :]
            outputs.append((h * c[:, t, None, :]).sum(-1))
        return torch.stack(outputs, 1)

    def forward(self, words):
        x = self.embed(words)
        for norm, inner, conv, select, decay, outer in zip(
                self.norms, self.inner, self.conv, self.select, self.decay, self.outer):
            h, gate = inner(norm(x)).chunk(2, -1)
            h = F.silu(conv(h.transpose(1, 2))[..., :h.shape[1]].transpose(1, 2))
            x = x + outer(self.mix(h, select, decay) * F.silu(gate))
        return self.out(x)


def state_space():
    model = StateSpace()
    words = torch.randint(64, (16, 25))
    return model, lambda: F.cross_entropy(model(words[:, :-1]).flatten(0, 1),
                                          words[:, 1:].flatten())


MODELS = {builder.__name__: builder for builder in
          (densenet, gru_attention, encoder_decoder, feature_pyramid, audio_encoder, state_space)}
