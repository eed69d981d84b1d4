/** The child's last words, on standard error, when it ends itself for want of memory. */
export const OUT_OF_MEMORY = 'millhand: out of memory'

/** What libraries say when memory is refused to them: V8, the C++ library, ONNX Runtime, glib under libvips. */
const MEMORY_WORDS =
  /out of memory|bad_alloc|failed to allocate|cannot allocate memory|array buffer allocation failed|OOM error/i

export const tellsOfMemory = (text: string): boolean => MEMORY_WORDS.test(text)
