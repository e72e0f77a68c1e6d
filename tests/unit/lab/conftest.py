"""Networks this small are slower with several threads, far slower when other tests run beside."""

import torch

torch.set_num_threads(1)
