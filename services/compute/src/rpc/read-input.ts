import { fail } from '@millhand/api'
import type {
  ReadInputRequest,
  ReadInputResponse,
  RunRef,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { heldTask } from '@millhand/task'
import type { ComputeDeps } from '../compute-deps.ts'
import { parts } from '../files/parts.ts'

/** Reads the file that is a run's input, no faster than the executor takes it. Any replica answers. */
export const readInput = ({ tasks, files }: ComputeDeps) =>
  async function* ({ run }: ReadInputRequest): AsyncGenerator<ReadInputResponse, void> {
    const { tenant, input_file } = await heldTask(tasks, run as RunRef)
    const file = input_file === undefined ? undefined : await files.getUsed(tenant, input_file)
    const content = file && (await files.read(file))
    if (content === undefined) throw fail('not_found', 'The file that is the input is not there any more.')
    for await (const data of parts(content)) yield { $typeName: 'millhand.lease.v1.ReadInputResponse', data }
  }
