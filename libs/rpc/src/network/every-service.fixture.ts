/** Every service of the contract, found and not listed, so that a new one can't be forgotten. */
import { globSync } from 'node:fs'
import type { DescService } from '@bufbuild/protobuf'

export async function everyService(): Promise<DescService[]> {
  const folder = new URL('../../../', import.meta.resolve('@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'))
  const found: DescService[] = []
  for (const file of globSync('**/*_pb.ts', { cwd: folder })) {
    const module: Record<string, unknown> = await import(new URL(file, folder).href)
    for (const value of Object.values(module)) if (isService(value)) found.push(value)
  }
  return found
}

const isService = (value: unknown): value is DescService =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service'
