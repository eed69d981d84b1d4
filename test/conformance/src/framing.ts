/** How the suite's runner talks with the programs that it starts: messages, each after its length. */
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'

const LENGTH_BYTES = 4

/** The messages of standard input, until it ends. */
export async function* readMessages<D extends DescMessage>(schema: D): AsyncGenerator<MessageShape<D>> {
  let held = Buffer.of()
  for await (const chunk of process.stdin) {
    held = Buffer.concat([held, chunk])
    while (held.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + held.readUInt32BE()
      if (held.length < end) break
      yield fromBinary(schema, held.subarray(LENGTH_BYTES, end))
      held = held.subarray(end)
    }
  }
}

/** Writes a message to standard output. */
export function writeMessage<D extends DescMessage>(schema: D, message: MessageShape<D>): void {
  const bytes = toBinary(schema, message)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(bytes.length)
  process.stdout.write(Buffer.concat([length, bytes]))
}
