/** `model.json`: what a model's folder says about it. `docs/adding-a-model.md` describes every field. */
import { DTYPES, type Dtype } from './dtype.ts'
import { excerpt } from './excerpt.ts'
import { Fields, ManifestInvalid } from './manifest-fields.ts'
import { accelerators, type Provider, providers } from './provider.ts'
import { isLength } from './tensor-limits.ts'

const INPUT_FORMATS = ['text', 'json', 'image', 'audio', 'tensors', 'bytes'] as const
export type InputFormat = (typeof INPUT_FORMATS)[number]

/** One input or output of a model; -1 in a shape where any length goes. */
export interface TensorSpec {
  readonly name: string
  readonly dtype: Dtype
  readonly shape: readonly number[]
}

/** How an input becomes the model's first input, with a first axis of 1. */
export type Preprocess =
  | { readonly name: 'tensors' }
  /** A JSON list of `count` numbers, each times `scale`, shaped `shape` (without the first axis). */
  | {
      readonly name: 'numbers'
      readonly count: number
      readonly shape: readonly number[]
      readonly min: number
      readonly max: number
      readonly scale: number
    }
  /** A picture of the given size: (pixel / 255 - mean) / std for each channel. */
  | {
      readonly name: 'image'
      readonly width: number
      readonly height: number
      readonly channels: 'rgb' | 'bgr' | 'gray'
      readonly layout: 'nchw' | 'nhwc'
      readonly fit: 'fill' | 'cover' | 'contain'
      readonly mean: readonly number[]
      readonly std: readonly number[]
    }
  /** The text, as a string tensor of shape [1]. */
  | { readonly name: 'text' }
  /** The tokens of a text, as a model of the BERT family takes them; by the tokenizer in the metadata of the file. */
  | { readonly name: 'tokens' }

/** How the model's outputs become the task's. */
export type Postprocess =
  | { readonly name: 'tensors' }
  /** `{[as]: label, confidence, scores}`, or with `top` the best so many as `top: [{[as], confidence}]` for scores. */
  | { readonly name: 'classify'; readonly as: string; readonly softmax: boolean; readonly top: number | undefined }

export type Processing =
  | { readonly kind: 'single'; readonly preprocess: Preprocess; readonly postprocess: Postprocess }
  /** Text in a picture; files `detection`, `recognition`, `dictionary` and, where there is one, `direction`. */
  | { readonly kind: 'ocr' }
  /** Stretches of speech in a recording, by a Silero model. */
  | { readonly kind: 'speech' }
  /** What kind of file some bytes are, by a Magika model. */
  | { readonly kind: 'file_type' }
  /** Vectors of what texts mean, by a model of the BERT family. */
  | { readonly kind: 'embedding' }
  /** Text that goes on from a prompt, by a language model of the form GGUF. */
  | {
      readonly kind: 'text_generation'
      /** What an input and its answer may have together, in tokens, where the model was made for as many. */
      readonly contextTokens: number
    }

export interface Manifest {
  /** For people. */
  readonly name: string
  readonly description: string
  readonly kind: 'inference'
  readonly format: 'onnx' | 'gguf'
  /** A path inside the folder, or `package:<npm package>/<path>`. */
  readonly files: Readonly<Record<string, string>>
  readonly inputFormat: InputFormat
  readonly processing: Processing
  readonly labels: readonly string[] | undefined
  readonly batchable: boolean
  readonly maxBatch: number
  /** What runs it right. */
  readonly providers: readonly Provider[]
  readonly license: string
  readonly metrics: Readonly<Record<string, number>>
  readonly exampleInput: string | undefined
  /** A file of the folder that is given as the example: text, or a picture or recording as a `data:` URI. */
  readonly exampleInputFile: string | undefined
  /** As the manifest declares them; else the ONNX file tells. */
  readonly inputs: readonly TensorSpec[] | undefined
  readonly outputs: readonly TensorSpec[] | undefined
}

type Pipeline = Exclude<Processing['kind'], 'single' | 'text_generation'>

interface PipelineNeeds {
  readonly reads: InputFormat
  readonly files: readonly string[]
  /** Whether it runs several inputs at once. */
  readonly batches?: true
}

const PIPELINES: Readonly<Record<Pipeline, PipelineNeeds>> = {
  ocr: { reads: 'image', files: ['detection', 'recognition', 'dictionary'] },
  speech: { reads: 'audio', files: ['model'] },
  file_type: { reads: 'bytes', files: ['model', 'config', 'types'] },
  embedding: { reads: 'text', files: ['model', 'tokenizer'], batches: true },
}

/** Reads `model.json`. Throws `ManifestInvalid`, which names the field. */
export function parseManifest(text: string): Manifest {
  const read = new Fields(parse(text))
  const format = read.oneOf('format', ['onnx', 'gguf'], 'onnx')
  const processing = format === 'gguf' ? readTextGeneration(read) : readProcessing(read)
  const formats = formatsOf(processing)
  const inputFormat = read.oneOf('input_format', INPUT_FORMATS, formats[0])
  if (!formats.includes(inputFormat))
    read.fail('input_format', `must be ${formats.join(' or ')}, for that is what its processing reads`)
  const batchable = read.boolean('batchable', false)
  if (batchable && !mayBatch(processing)) read.fail('batchable', `must be false with pipeline ${processing.kind}`)
  const manifest: Manifest = {
    name: read.string('name'),
    description: read.string('description', 'No description.'),
    kind: read.oneOf('kind', ['inference'], 'inference'),
    format,
    files: readFiles(read, processing),
    inputFormat,
    processing,
    labels: read.strings('labels'),
    batchable,
    maxBatch: batchable ? read.integer('max_batch', 1, 1024, 32) : read.integer('max_batch', 1, 1, 1),
    providers: format === 'gguf' ? ['cpu'] : readProviders(read),
    license: read.string('license', 'LicenseRef-unknown'),
    metrics: read.map('metrics', readMetric) ?? {},
    exampleInput: read.has('example_input') ? read.string('example_input') : undefined,
    exampleInputFile: read.has('example_input_file') ? read.string('example_input_file') : undefined,
    inputs: read.objects('inputs', readSpec),
    outputs: read.objects('outputs', readSpec),
  }
  read.done()
  return manifest
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ManifestInvalid(`it is not JSON: ${excerpt((error as Error).message, 128)}`)
  }
}

/** The processor is what a task runs on that asks for nothing. */
function readProviders(read: Fields): readonly Provider[] {
  const named = read.strings('providers')
  if (named === undefined) return providers
  const known = providers.filter(provider => named.includes(provider))
  if (known.length < named.length || !known.includes('cpu'))
    read.fail('providers', `must have cpu, and may have ${accelerators.join(' and ')}`)
  return known
}

function readProcessing(read: Fields): Processing {
  const pipeline = read.object('pipeline', item => item.oneOf('name', Object.keys(PIPELINES) as Pipeline[]))
  if (pipeline) {
    for (const key of ['preprocess', 'postprocess']) if (read.has(key)) read.fail(key, 'does not go with `pipeline`')
    return { kind: pipeline }
  }
  return {
    kind: 'single',
    preprocess: read.object('preprocess', readPreprocess) ?? { name: 'tensors' },
    postprocess: read.object('postprocess', readPostprocess) ?? { name: 'tensors' },
  }
}

/** What a file of the form GGUF says itself, its manifest can't. */
function readTextGeneration(read: Fields): Processing {
  for (const key of NOT_OF_GGUF) if (read.has(key)) read.fail(key, 'does not go with `format` gguf')
  return { kind: 'text_generation', contextTokens: read.integer('context_tokens', 256, 1_048_576, 4_096) }
}

const NOT_OF_GGUF = [
  ...['preprocess', 'postprocess', 'pipeline', 'labels', 'batchable', 'max_batch'],
  ...['providers', 'inputs', 'outputs'],
]

function readPreprocess(read: Fields): Preprocess {
  const name = read.oneOf('name', ['tensors', 'numbers', 'image', 'text', 'tokens'])
  switch (name) {
    case 'tensors':
    case 'text':
    case 'tokens':
      return { name }
    case 'numbers': {
      const count = read.integer('count', 1, 1_000_000)
      const shape = read.numbers('shape') ?? [count]
      if (shape.reduce((product, length) => product * length, 1) !== count)
        read.fail('shape', 'must hold `count` numbers')
      return {
        name,
        count,
        shape,
        min: read.number('min', -Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE),
        max: read.number('max', -Number.MAX_VALUE, Number.MAX_VALUE, Number.MAX_VALUE),
        scale: read.number('scale', -Number.MAX_VALUE, Number.MAX_VALUE, 1),
      }
    }
    case 'image': {
      const channels = read.oneOf('channels', ['rgb', 'bgr', 'gray'], 'rgb')
      const depth = channels === 'gray' ? 1 : 3
      return {
        name,
        width: read.integer('width', 1, 4096),
        height: read.integer('height', 1, 4096),
        channels,
        layout: read.oneOf('layout', ['nchw', 'nhwc'], 'nchw'),
        fit: read.oneOf('fit', ['fill', 'cover', 'contain'], 'fill'),
        mean: read.numbers('mean', depth) ?? Array<number>(depth).fill(0),
        std: read.numbers('std', depth) ?? Array<number>(depth).fill(1),
      }
    }
  }
}

function readPostprocess(read: Fields): Postprocess {
  const name = read.oneOf('name', ['tensors', 'classify'])
  if (name === 'tensors') return { name }
  return {
    name,
    as: read.string('as', 'label'),
    softmax: read.boolean('softmax', false),
    top: read.has('top') ? read.integer('top', 1, 1000) : undefined,
  }
}

/** What inputs may be, the usual first. */
function formatsOf(processing: Processing): readonly [InputFormat, ...InputFormat[]] {
  if (processing.kind === 'text_generation') return ['text', 'json']
  if (processing.kind !== 'single') return [PIPELINES[processing.kind].reads]
  const { name } = processing.preprocess
  return [name === 'numbers' ? 'json' : name === 'tokens' ? 'text' : name]
}

function mayBatch({ kind }: Processing): boolean {
  if (kind === 'text_generation') return false
  return kind === 'single' || PIPELINES[kind].batches === true
}

function readFiles(read: Fields, processing: Processing): Record<string, string> {
  const { kind } = processing
  const files = read.map('files', readFile) ?? { model: kind === 'text_generation' ? 'model.gguf' : 'model.onnx' }
  const needed = kind === 'single' || kind === 'text_generation' ? ['model'] : PIPELINES[kind].files
  for (const name of needed) if (!Object.hasOwn(files, name)) read.fail(`files.${name}`, 'is missing')
  return files
}

function readFile(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new ManifestInvalid(`\`${excerpt(path)}\` must be a path`)
}

function readMetric(value: unknown, path: string): number {
  if (typeof value === 'number') return value
  throw new ManifestInvalid(`\`${excerpt(path)}\` must be a number`)
}

function readSpec(read: Fields): TensorSpec {
  const shape = read.numbers('shape') ?? []
  if (!shape.every(isLength)) read.fail('shape', 'must be whole numbers below 2^31, -1 where any length goes')
  return { name: read.string('name'), dtype: read.oneOf('dtype', DTYPES), shape }
}
