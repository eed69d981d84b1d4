/**
 * Dropout: y = mask x, where the mask is 0 with the probability `ratio`, else 1/(1 - ratio). Srivastava and others,
 * Dropout (2014), section 4, in the inverted form of the ONNX operator. The mask is an input of the graph.
 */
import type { DifferentiableOperator, Forward, GradientRule } from '../gradient-rule.ts'
import { PREFIX } from '../graph-writer.ts'
import { multiply } from '../operations.ts'

function forward({ graph, node, shapeOf, constantOf, mask, refuse }: Forward): void {
  const [x = '', ratioName] = node.input
  const [y = '', chosen] = node.output
  if (chosen) throw refuse('gives its mask to another node')
  const ratio = constantOf(ratioName)
  if (ratioName && !ratio) throw refuse('has a ratio that is not constant')
  const given = graph.add('Identity', [mask(shapeOf(x), Number(ratio?.data[0] ?? 0.5))], {}, maskName(y))
  graph.add('Mul', [x, given], {}, y)
}

const gradient: GradientRule = ({ graph, dy, y }) => [multiply(graph, dy, maskName(y()))]

const maskName = (y: string) => `${PREFIX}${y}/mask`

export const dropout: Readonly<Record<string, DifferentiableOperator>> = { Dropout: { gradient, forward } }
