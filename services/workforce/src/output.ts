/** The output of a task: from the JSON text that its run gave to what callers see. */
import {
  EngineKind,
  type WorkforceOutput,
  type WorkforceTaskUsage,
} from '@millhand/api/gen/millhand/workforce/v1/output_pb.ts'
import type { Output } from './employee.ts'
import type { Usage } from './task.ts'

export const engineKinds = {
  llm: EngineKind.LLM,
  rules: EngineKind.RULES,
  hybrid: EngineKind.HYBRID,
  mock: EngineKind.MOCK,
} as const satisfies Readonly<Record<Output['engine']['kind'], EngineKind>>

/** `text` is an `Output`. */
export function outputMessage(text: string, usage: Usage | undefined): WorkforceOutput {
  const { engine, result, text: reading, artifacts, citations, checks, warnings }: Output = JSON.parse(text)
  return {
    $typeName: 'millhand.workforce.v1.WorkforceOutput',
    engine: {
      $typeName: 'millhand.workforce.v1.WorkforceEngine',
      kind: engineKinds[engine.kind],
      name: engine.name,
      ...(engine.model !== undefined && { model: engine.model }),
    },
    result: JSON.stringify(result),
    text: reading,
    artifacts: artifacts.map(({ name, media_type, file }) => ({
      $typeName: 'millhand.workforce.v1.Artifact',
      name,
      mediaType: media_type,
      file,
    })),
    citations: citations.map(({ source, quote }) => ({
      $typeName: 'millhand.workforce.v1.Citation',
      source,
      quote,
    })),
    checks: checks.map(({ id, pass, value, target }) => ({
      $typeName: 'millhand.workforce.v1.Check',
      id,
      pass,
      value: JSON.stringify(value),
      target: JSON.stringify(target),
    })),
    warnings: [...warnings],
    ...(usage && { usage: usageMessage(usage) }),
  }
}

export const usageMessage = (usage: Usage): WorkforceTaskUsage => ({
  $typeName: 'millhand.workforce.v1.WorkforceTaskUsage',
  queueMs: usage.queue_ms,
  computeMs: usage.compute_ms,
  inputTokens: usage.input_tokens,
  outputTokens: usage.output_tokens,
})
