/** The child's last words, a line on standard error, when it ends itself for want of memory. */
export const OUT_OF_MEMORY = '\nmillhand: out of memory\n'

/** What libraries throw when memory is refused to them: V8, the C++ library, ONNX Runtime, glib under libvips. */
const MEMORY_WORDS =
  /out of memory|bad_alloc|failed to allocate|cannot allocate memory|array buffer allocation failed|OOM error/i

/** Of a message that quotes nobody: a caller's words may be these too. */
export const tellsOfMemory = (message: string): boolean => MEMORY_WORDS.test(message)

/** Whole lines and beginnings of lines, as those who end a process write them: a caller's words stand inside of a line. */
const LAST_WORDS = [
  /^millhand: out of memory$/m,
  /^FATAL ERROR: .*out of memory$/m, // Node, of V8's heap.
  /^# Fatal (?:process|JavaScript) out of memory: /m, // V8.
  /^(?:RangeError: )?(?:Array buffer allocation failed|Failed to allocate memory)$/m, // V8; nobody caught it.
  /^terminate called after throwing an instance of 'std::bad_alloc'$/m,
  /^ *what\(\): .*(?:bad_alloc|Failed to allocate memory)/m, // The C++ library, of what others threw.
  /GLib-ERROR \*\*: .*failed to allocate \d+ bytes$/m,
  /^\S+: error while loading shared libraries: .*Cannot allocate memory$/m,
]

/** Whether a process ended for want of memory, by what it wrote to standard error. */
export const diedOfMemory = (stderr: string): boolean => LAST_WORDS.some(line => line.test(stderr))
