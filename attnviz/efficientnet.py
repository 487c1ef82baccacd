"""EfficientNet-Lite0, written plainly: a photo -> two maps of features.

Tan and Le (2019), table 1, in the Lite form (no squeeze-and-excitation, ReLU6, a fixed stem and
head), which Google released as EfficientNet-Lite under Apache-2.0. Only the part that captioning
needs is here: the classifier is left out, the weights never learn, and each batch normalisation
is folded into the convolution before it.

Letters: B batch, C channels.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

SIDE = 224  # pixels; what the network was trained on
MIDDLE_CHANNELS = 112  # of the stride-16 map, 14 x 14
TOP_CHANNELS = 1280  # of the stride-32 map, 7 x 7, after the head

# (blocks, kernel, stride of the first block, expansion, channels out): the seven stages of table 1.
_STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
_MIDDLE_STAGE = 4  # the last stage at stride 16
_STEM_CHANNELS = 32


class SameConvolution(nn.Conv2d):
    """A convolution padded so that its output has ceil(size / stride) pixels a side.

    When the padding is odd, the extra pixel goes to the bottom and the right, as TensorFlow's
    "SAME" does, which the released weights were trained with. Padding the other way would shift
    every feature by a pixel.
    """

    def forward(self, pixels: Tensor) -> Tensor:
        kernel, stride = self.kernel_size[0], self.stride[0]
        extra = [max((-(-size // stride) - 1) * stride + kernel - size, 0) for size in pixels.shape[-2:]]
        top, left = extra[0] // 2, extra[1] // 2
        padded = functional.pad(pixels, (left, extra[1] - left, top, extra[0] - top))
        return functional.conv2d(padded, self.weight, self.bias, self.stride, groups=self.groups)


class InvertedResidual(nn.Module):
    """Expand, filter each channel, project; add the input where its shape is kept.

    Sandler et al. (2018), figure 4d.
    """

    def __init__(self, channels_in: int, channels: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = channels_in * expansion
        self.expand = SameConvolution(channels_in, wide, 1) if expansion > 1 else None
        self.depthwise = SameConvolution(wide, wide, kernel, stride, groups=wide)
        self.project = SameConvolution(wide, channels, 1)
        self.adds_input = stride == 1 and channels_in == channels

    def forward(self, features: Tensor) -> Tensor:
        hidden = features
        if self.expand is not None:
            hidden = functional.relu6(self.expand(hidden))
        hidden = self.project(functional.relu6(self.depthwise(hidden)))
        return hidden + features if self.adds_input else hidden


class EfficientNetLite0(nn.Module):
    """Photos (B, 3, 224, 224) -> the maps at stride 16 and stride 32.

    Pixels are (value - 127) / 128 for values from 0 to 255, red, green, blue. The network is
    frozen: it holds no gradients.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = SameConvolution(3, _STEM_CHANNELS, 3, stride=2)
        stages, channels_in = [], _STEM_CHANNELS
        for blocks, kernel, stride, expansion, channels in _STAGES:
            stage = []
            for block in range(blocks):
                first = block == 0
                stage.append(
                    InvertedResidual(channels_in, channels, kernel, stride if first else 1, expansion)
                )
                channels_in = channels
            stages.append(nn.Sequential(*stage))
        self.stages = nn.ModuleList(stages)
        self.head = SameConvolution(channels_in, TOP_CHANNELS, 1)
        self.requires_grad_(False)

    @torch.no_grad()
    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """Pixels (B, 3, 224, 224) -> middle (B, 112, 14, 14) and top (B, 1280, 7, 7)."""
        features = functional.relu6(self.stem(pixels))
        middle = features
        for number, stage in enumerate(self.stages):
            features = stage(features)
            if number == _MIDDLE_STAGE:
                middle = features
        return middle, functional.relu6(self.head(features))
