/**
 * For everything that reads messages from another process. A message nests as deep as the JSON that it came from: 64
 * levels, each of them two messages (google.protobuf.Value and what is in it). protobuf-es stops at 100 by itself.
 */
export const binaryOptions = { recursionLimit: 160 } as const
