/** Reads an event stream as a browser would, block by block. */
import assert from 'node:assert/strict'

export interface Block {
  readonly id?: string
  readonly event?: string
  readonly retry?: string
  /** Of a comment its text. */
  readonly comment?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it reads from it.
  readonly data?: any
}

export class EventReader {
  readonly response: Response
  readonly #blocks: AsyncGenerator<Block>

  constructor(response: Response) {
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    this.response = response
    this.#blocks = blocks(response.body as ReadableStream<Uint8Array>)
  }

  /** The next block, whatever it is; undefined at the end. */
  async block(): Promise<Block | undefined> {
    const { done, value } = await this.#blocks.next()
    return done === true ? undefined : value
  }

  /** The next event; undefined at the end. */
  async event(): Promise<Block | undefined> {
    for (;;) {
      const block = await this.block()
      if (block === undefined || block.event !== undefined) return block
    }
  }

  /** All events that are left. */
  async rest(): Promise<Block[]> {
    const all: Block[] = []
    for (let next = await this.event(); next !== undefined; next = await this.event()) all.push(next)
    return all
  }

  /** Leaves in the middle; something has been read before. */
  async leave(): Promise<void> {
    await this.#blocks.return(undefined)
  }
}

async function* blocks(body: ReadableStream<Uint8Array>): AsyncGenerator<Block> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const whole = text.split('\n\n')
    text = whole.pop() as string
    for (const block of whole) yield parse(block)
  }
  assert.equal(text, '', 'it ends with a whole block')
}

function parse(block: string): Block {
  const fields = block.split('\n').map(line => /^([a-z]*):(?: (.*))?$/.exec(line) ?? assert.fail(line))
  const found = Object.fromEntries(fields.map(([, name, value = '']) => [name === '' ? 'comment' : name, value]))
  return found.data === undefined ? found : { ...found, data: JSON.parse(found.data) }
}
