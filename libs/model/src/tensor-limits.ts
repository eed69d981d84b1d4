/** What inputs and outputs of models may have at most, wherever they are described. */

/** Characters of a name. */
export const MOST_NAME = 512
/** Dimensions. */
export const MOST_RANK = 16

/** Whether it can be in the shape of a `TensorSpec`, -1 for any: the public message has lengths as int32. */
export const isLength = (length: unknown): length is number =>
  Number.isInteger(length) && Number(length) >= -1 && Number(length) < 2 ** 31
