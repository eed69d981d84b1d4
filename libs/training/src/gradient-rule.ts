/** How an operator is differentiated. */
import type { NodeProto } from '@millhand/api/gen/onnx/onnx-ml_pb.ts'
import type { Tensor } from '@millhand/model'
import type { GraphWriter } from './graph-writer.ts'
import type { Shape } from './operations.ts'

/** A node of the model whose forward part is in the graph, to which its backward part is to be added. */
export interface Backward {
  readonly graph: GraphWriter
  readonly node: NodeProto
  /** The gradient of the loss for an output; undefined where the loss does not depend on that output. */
  gradient(output?: number): string | undefined
  /** The gradient of the first output, which the rules of operators with one output work with. */
  readonly dy: string
  /** The name of an input. */
  x(input?: number): string
  /** The name of an output. */
  y(output?: number): string
  /** Whether the gradient for an input is wanted. */
  wants(input: number): boolean
  shapeOf(name: string): Shape
  /** The value of what does not depend on the batch nor on what is trained; undefined otherwise. */
  constantOf(name: string | undefined): Tensor | undefined
  /** The integers of an input that has to be constant. Throws `TrainingRefused` where it is not. */
  integers(input: number): number[] | undefined
  /** An error that names the node and its operator. */
  refuse(why: string): Error
}

/** The gradient for each input, in their order; undefined where none is wanted or there is none. */
export type GradientRule = (backward: Backward) => readonly (string | undefined)[]

/** A node of the model that is to be added to the training graph. */
export interface Forward {
  readonly graph: GraphWriter
  readonly node: NodeProto
  shapeOf(name: string): Shape
  constantOf(name: string | undefined): Tensor | undefined
  /** Whether a value is trained, or computed from what is. */
  isTrained(name: string | undefined): boolean
  /** Asks for a mask of dropout as an input of the graph, and returns its name. */
  mask(shape: Shape, ratio: number): string
  /** The new value of a running statistic, which is carried from step to step. */
  updates(statistic: string, value: string): void
  refuse(why: string): Error
}

export interface DifferentiableOperator {
  readonly gradient: GradientRule
  /** What the training graph has in the place of the node, where that is another thing. The outputs keep their names. */
  readonly forward?: (forward: Forward) => void
}
