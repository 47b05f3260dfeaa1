# SPDX-License-Identifier: Apache-2.0
"""The models of reprise/zoo in Python: the same layers with the same names, the same ops in the same
order, so that losses and gradients agree bit by bit.

Each runs its blocks by `call(block, *args)`, which is where a checkpoint may stand. `stages()` are
the same blocks as functions of one argument, for checkpoint_sequential: what `before` makes of the
input goes in, and `after` turns what the last one returns into the loss.
"""
import math
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY = 256


def plainly(block, *args):
    return block(*args)


class Twin(nn.Module):
    """Its stages take one tensor and give one, unless a model says otherwise."""

    def loss(self, inputs, target, call=plainly):
        h = self.before(inputs)
        for stage in self.stages():
            h = call(stage, h)
        return self.after(h, target)


class UnfusedLinear(nn.Linear):
    """torch::nn::Linear of C++ adds the bias in an op of its own unless the input is a matrix."""

    def forward(self, x):
        y = x.matmul(self.weight.t())
        y += self.bias
        return y


class TransformerBlock(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.fc, self.out = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def attention(self, x, mask):
        B, T, C = x.shape
        q, k, v = (part.view(B, T, self.heads, C // self.heads).transpose(1, 2)
                   for part in self.qkv(self.ln1(x)).split(C, 2))
        y = self.attend(q, k, v, mask).transpose(1, 2).reshape(B, T, C)
        return F.dropout(self.proj(y), self.dropout, self.training)

    def attend(self, q, k, v, mask):
        """Written out under a mask; without one, the fused kernel."""
        if mask is None:
            return F.scaled_dot_product_attention(q, k, v)
        scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(q.shape[-1]))
        scores = scores.masked_fill(mask, -math.inf)
        scores = F.softmax(scores, -1)
        scores = F.dropout(scores, self.dropout, self.training)
        return scores @ v

    def feed_forward(self, x):
        return F.dropout(self.out(F.gelu(self.fc(self.ln2(x)))), self.dropout, self.training)

    def forward(self, h, mask=None):
        x = h + self.attention(h, mask)
        return x + self.feed_forward(x)


class Gpt(Twin):
    def __init__(self, layers, dim, heads, context, dropout=0.1):
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCABULARY, dim), nn.Embedding(context, dim)
        self.blocks = nn.ModuleList(TransformerBlock(dim, heads, dropout) for _ in range(layers))
        self.lnf, self.head = nn.LayerNorm(dim), nn.Linear(dim, VOCABULARY, bias=False)
        self.register_buffer("causal", torch.ones(context, context, dtype=torch.bool).triu(1))

    def before(self, tokens):
        return self.tok(tokens) + self.pos.weight[: tokens.shape[1]]

    def stages(self):
        return [partial(block, mask=self.causal) for block in self.blocks]

    def after(self, h, targets):
        return F.cross_entropy(self.head(self.lnf(h)).flatten(0, 1), targets.flatten())


class Lstm(Twin):
    """A block is a time step. As a stage it takes and gives the hidden states so far and the cell."""

    def __init__(self, dim, context, embedding=64):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, embedding)
        self.wx, self.wh = nn.Linear(embedding, 4 * dim), nn.Linear(dim, 4 * dim, bias=False)
        self.head = UnfusedLinear(dim, VOCABULARY)
        self.context = context

    def cell(self, tokens, hidden, cell):
        x = self.embedding(tokens)
        i, f, g, o = (self.wx(x) + self.wh(hidden)).chunk(4, 1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(cell), cell

    def zeros(self, tokens):
        return torch.zeros(tokens.shape[0], self.wh.in_features)

    def loss(self, tokens, targets, call=plainly):
        hidden = cell = self.zeros(tokens)
        states = []
        for t in range(self.context):
            hidden, cell = call(self.cell, tokens[:, t], hidden, cell)
            states.append(hidden)
        return self.scored(states, targets)

    def before(self, tokens):
        self.tokens = tokens
        zeros = self.zeros(tokens)
        return (), zeros, zeros

    def stages(self):
        def stage(t, state):
            states, hidden, cell = state
            hidden, cell = self.cell(self.tokens[:, t], hidden, cell)
            return states + (hidden,), hidden, cell
        return [partial(stage, t) for t in range(self.context)]

    def after(self, state, targets):
        return self.scored(state[0], targets)

    def scored(self, states, targets):
        return F.cross_entropy(self.head(torch.stack(tuple(states), 1)).flatten(0, 1),
                               targets.flatten())


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.c1, self.b1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.c2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.b2 = nn.BatchNorm2d(width)
        self.c3, self.b3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.down = None
        if stride > 1 or inputs != outputs:
            self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                      nn.BatchNorm2d(outputs))

    def forward(self, x):
        h = F.relu(self.b1(self.c1(x)), inplace=True)
        h = F.relu(self.b2(self.c2(h)), inplace=True)
        h = self.b3(self.c3(h))
        return F.relu(h + (x if self.down is None else self.down(x)), inplace=True)


class Cnn(Twin):
    def __init__(self, dim, depths=(2, 2, 2, 2), classes=10):
        super().__init__()
        self.stem, self.bn = nn.Conv2d(3, dim, 7, 2, 3, bias=False), nn.BatchNorm2d(dim)
        self.blocks = nn.ModuleList()
        channels = dim
        for level, depth in enumerate(depths):
            for i in range(depth):
                self.blocks.append(Bottleneck(channels, dim << level, 2 if level and not i else 1))
                channels = 4 * (dim << level)
        self.fc = nn.Linear(channels, classes)

    def before(self, images):
        return F.max_pool2d(F.relu(self.bn(self.stem(images)), inplace=True), 3, 2, 1)

    def stages(self):
        return list(self.blocks)

    def after(self, h, target):
        return F.cross_entropy(self.fc(h.mean((2, 3))), target)


class Double(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.c1 = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.b1 = nn.BatchNorm2d(outputs)
        self.c2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.b2 = nn.BatchNorm2d(outputs)

    def forward(self, x):
        h = F.relu(self.b1(self.c1(x)), inplace=True)
        return F.relu(self.b2(self.c2(h)), inplace=True)


class Down(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.d = Double(inputs, outputs)

    def forward(self, x):
        return self.d(F.max_pool2d(x, 2))


class Up(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.t, self.d = nn.ConvTranspose2d(inputs, outputs, 2, 2), Double(2 * outputs, outputs)

    def forward(self, x, skip):
        return self.d(torch.cat([self.t(x), skip], 1))


class Unet(Twin):
    """A stage takes and gives the last output and the skips that are still to be read."""

    def __init__(self, dim, layers, classes=4):
        super().__init__()
        self.inc = Double(3, dim)
        self.downs = nn.ModuleList(Down(dim << i, dim << (i + 1)) for i in range(layers))
        self.ups = nn.ModuleList(Up(dim << (i + 1), dim << i) for i in reversed(range(layers)))
        self.outc = nn.Conv2d(dim, classes, 1)

    def loss(self, images, target, call=plainly):
        h, skips = call(self.inc, images), []
        for down in self.downs:
            skips.append(h)
            h = call(down, h)
        for up in self.ups:
            h = call(up, h, skips.pop())
        return self.after((h,), target)

    def before(self, images):
        return images

    def stages(self):
        def down(block, state):
            return (block(state[0]),) + state

        def up(block, state):
            return (block(state[0], state[1]),) + state[2:]
        return ([lambda images: (self.inc(images),)] + [partial(down, each) for each in self.downs] +
                [partial(up, each) for each in self.ups])

    def after(self, state, target):
        return F.cross_entropy(self.outc(state[0]), target)


class Convolution(nn.Module):
    def __init__(self, inputs, outputs, width, stride):
        super().__init__()
        self.c = nn.Conv1d(inputs, outputs, width, stride, bias=False)
        self.n = nn.GroupNorm(8, outputs)

    def forward(self, x):
        return F.gelu(self.n(self.c(x)))


class Projection(nn.Module):
    def __init__(self, channels, dim):
        super().__init__()
        self.ln, self.l = nn.LayerNorm(channels), UnfusedLinear(channels, dim)

    def forward(self, x):
        return self.l(self.ln(x.transpose(1, 2)))


class AudioEncoder(Twin):
    KERNELS = ((10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2))  # width, stride

    def __init__(self, layers, dim, heads, context, channels=64, classes=32, dropout=0.1):
        super().__init__()
        self.units = nn.ModuleList(
            Convolution(channels if i else 1, channels, width, stride)
            for i, (width, stride) in enumerate(self.KERNELS))
        self.units.append(Projection(channels, dim))
        self.units.extend(TransformerBlock(dim, heads, dropout) for _ in range(layers))
        self.ln, self.fc = nn.LayerNorm(dim), UnfusedLinear(dim, classes)

    def before(self, samples):
        return samples

    def stages(self):
        return list(self.units)

    def after(self, h, target):
        return F.cross_entropy(self.fc(self.ln(h)).flatten(0, 1), target[:, : h.shape[1]].flatten())


TWINS = {"gpt": Gpt, "lstm": Lstm, "cnn": Cnn, "unet": Unet, "audio": AudioEncoder}
