/** Elements of a tensor whose length is not known before its last is there. */
import { type Dtype, type ElementArray, elements } from '@millhand/model'

export interface GrowingElements {
  push(value: number | bigint): void
  /** A view of what there is, not a copy: nothing is pushed after it. */
  done(): ElementArray
}

export function growingElements(dtype: Exclude<Dtype, 'string'>): GrowingElements {
  let data = elements(dtype, 1024) as ElementArray
  let count = 0
  return {
    push(value) {
      if (count === data.length) {
        const larger = elements(dtype, count * 2) as ElementArray
        ;(larger as Float32Array).set(data as Float32Array)
        data = larger
      }
      data[count] = value
      count += 1
    },
    done: () => data.subarray(0, count),
  }
}
