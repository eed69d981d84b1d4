/** What a model runs on, in the words of ONNX Runtime: its execution providers. */
export const providers = ['cpu', 'webgpu', 'cuda'] as const

export type Provider = (typeof providers)[number]

/** What not every machine has. */
export type Accelerator = Exclude<Provider, 'cpu'>

export const accelerators = ['webgpu', 'cuda'] as const satisfies readonly Accelerator[]
