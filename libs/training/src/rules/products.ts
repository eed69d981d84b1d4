/**
 * Products of matrices: for Y = A B, dA = dY Bᵀ and dB = Aᵀ dY. Giles, Collected Matrix Derivative Results for Forward
 * and Reverse Mode Algorithmic Differentiation (2008), section 2.2.2.
 */
import { floatOf, integerOf } from '../attributes.ts'
import type { Backward, DifferentiableOperator, GradientRule } from '../gradient-rule.ts'
import { reshape, type Shape, scale, sumTo, transpose } from '../operations.ts'
import { elementCount } from '../tensor-proto.ts'

/** Vectors are matrices of one row or column (NumPy's rules); batches are broadcast. */
const product: GradientRule = b => {
  const { graph } = b
  const vectorA = b.shapeOf(b.x(0)).length === 1
  const vectorB = b.shapeOf(b.x(1)).length === 1
  const shapeA = vectorA ? [1, ...b.shapeOf(b.x(0))] : b.shapeOf(b.x(0))
  const shapeB = vectorB ? [...b.shapeOf(b.x(1)), 1] : b.shapeOf(b.x(1))
  const batch = b.shapeOf(b.y()).slice(0, b.shapeOf(b.y()).length - (vectorA ? 0 : 1) - (vectorB ? 0 : 1))
  const shape = [...batch, shapeA.at(-2) as number, shapeB.at(-1) as number]
  const dy = vectorA || vectorB ? reshape(graph, b.dy, shape) : b.dy
  const back = (gradient: string, input: number, isVector: boolean) =>
    isVector ? reshape(graph, gradient, b.shapeOf(b.x(input))) : gradient
  const a = vectorA ? reshape(graph, b.x(0), shapeA) : b.x(0)
  const bb = vectorB ? reshape(graph, b.x(1), shapeB) : b.x(1)
  // A matrix that all of a batch is multiplied with: one product instead of one for each and a sum.
  if (shapeB.length === 2) {
    const rows = elementCount(shape.slice(0, -1))
    const flatDy = shape.length === 2 ? dy : reshape(graph, dy, [rows, shapeB[1] as number])
    const flatA = () => (shapeA.length === 2 ? a : reshape(graph, a, [rows, shapeB[0] as number]))
    const da = () => {
      const flat = graph.add('Gemm', [flatDy, bb], { transB: 1n })
      return shapeA.length === 2 ? flat : reshape(graph, flat, shapeA)
    }
    return [
      b.wants(0) ? back(da(), 0, vectorA) : undefined,
      b.wants(1) ? back(graph.add('Gemm', [flatA(), flatDy], { transA: 1n }), 1, vectorB) : undefined,
    ]
  }
  const da = () => sumTo(graph, graph.add('MatMul', [dy, swap(b, bb, shapeB)]), [...batch, ...shapeA.slice(-2)], shapeA)
  const db = () => sumTo(graph, graph.add('MatMul', [swap(b, a, shapeA), dy]), [...batch, ...shapeB.slice(-2)], shapeB)
  return [b.wants(0) ? back(da(), 0, vectorA) : undefined, b.wants(1) ? back(db(), 1, vectorB) : undefined]
}

/** The matrices of a batch, transposed. */
function swap(b: Backward, value: string, shape: Shape): string {
  const axes = shape.map((_, axis) => axis)
  return transpose(b.graph, value, [...axes.slice(0, -2), ...axes.slice(-2).reverse()])
}

/** Y = alpha A' B' + beta C, where A' and B' may be transposed. */
const gemm: GradientRule = b => {
  const { graph, node, dy } = b
  const alpha = floatOf(node, 'alpha', 1)
  const transA = integerOf(node, 'transA', 0) !== 0
  const transB = integerOf(node, 'transB', 0) !== 0
  const times = (left: string, right: string, transLeft: boolean, transRight: boolean) =>
    graph.add('Gemm', [left, right], { alpha, transA: transLeft ? 1n : 0n, transB: transRight ? 1n : 0n })
  const da = () => (transA ? times(b.x(1), dy, transB, true) : times(dy, b.x(1), false, !transB))
  const db = () => (transB ? times(dy, b.x(0), true, transA) : times(b.x(0), dy, !transA, false))
  const dc = () => sumTo(graph, scale(graph, dy, floatOf(node, 'beta', 1)), b.shapeOf(b.y()), b.shapeOf(b.x(2)))
  return [b.wants(0) ? da() : undefined, b.wants(1) ? db() : undefined, b.wants(2) ? dc() : undefined]
}

export const products: Readonly<Record<string, DifferentiableOperator>> = {
  MatMul: { gradient: product },
  Gemm: { gradient: gemm },
}
