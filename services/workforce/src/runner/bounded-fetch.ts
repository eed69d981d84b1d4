/** Goes nowhere else than it was sent, and takes no more than an answer can have. */
export const boundedFetch =
  (mostBytes: number): typeof fetch =>
  async (input, init) => {
    // What sends elsewhere is an answer like any other: one that was refused by `fetch` itself would be asked again and again.
    const answer = await fetch(input, { ...init, redirect: 'manual' })
    if (!answer.body) return answer
    let bytes = 0
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        if (bytes > mostBytes) controller.error(new Error('the answer is too large'))
        else controller.enqueue(chunk)
      },
    })
    const { status, statusText, headers } = answer
    return new Response(answer.body.pipeThrough(count), { status, statusText, headers })
  }
