import { fromJson } from '@bufbuild/protobuf'
import { CreateWorkforceTaskRequestSchema } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'
import type { KindSpec } from '../catalogue.ts'
import { briefOf } from '../kept-brief.ts'
import { type Measured, runRules } from '../run-rules.ts'

/**
 * Does the example of a kind as the service would do it for who sends just that: the same brief, so the same seed.
 * Undefined of a kind that has no rules: what a language model would say is not made up.
 */
export async function doExample(kind: KindSpec): Promise<Measured | undefined> {
  if (!kind.engines.includes('rules')) return undefined
  const request = fromJson(CreateWorkforceTaskRequestSchema, {
    employee: kind.employee,
    task: kind.id,
    ...(kind.example as Record<string, string>),
  })
  return await runRules(kind, { ...briefOf(request), files: [] })
}
