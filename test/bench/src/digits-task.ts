/** Tasks for the `digits` model, as REST takes them. */
import type { Server } from '@millhand/test-e2e/server'
import type { Request } from './http-request.ts'

/** Creates for a few different pictures: the model's own example, its numbers turned by one place each. */
export async function digitsTasks(server: Server, wait?: number): Promise<Omit<Request, 'key'>[]> {
  const { body: model } = await server.request('GET', '/v1/models/digits')
  const picture: number[] = JSON.parse(model.example_input).flat()
  return picture.slice(0, 16).map((_, turn) => {
    const input = JSON.stringify([...picture.slice(turn), ...picture.slice(0, turn)])
    const body = JSON.stringify({ type: 'inference', model: 'digits', input })
    return { method: 'POST', path: '/v1/tasks', body, ...(wait !== undefined && { wait }) }
  })
}

/** What a create that waited for its end answers. */
export const succeeded = { status: 201, body: '"status":"succeeded"' }
