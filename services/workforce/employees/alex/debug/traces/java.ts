/** https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/Throwable.html#printStackTrace() */
import { type Frame, numberOr, type Thrown, type TraceReader } from './trace.ts'

export const java: TraceReader = lines => {
  const thrown: Thrown[] = []
  let said: { type: string; message: string } | undefined
  let frames: Frame[] | undefined
  for (const line of lines) {
    const frame = frameOf(line)
    if (frame) {
      if (!frames) {
        frames = []
        thrown.push({ ...(said ?? { type: '', message: '' }), frames })
      }
      frames.push(frame)
      continue
    }
    if (/^\s*\.\.\. \d+ (?:more|common frames)/.test(line)) continue
    // What went wrong while closing something is told beside.
    if (/^\s*Suppressed: /.test(line)) break
    const head =
      unnamed.exec(line) ??
      // Behind a head and before its frames, a line is of the message.
      (said && !frames ? undefined : bare.exec(line)) ??
      /(?:^|Exception in thread "[^"]{0,200}" |^\s*Caused by: |\s)((?:[a-z_][\w]{0,60}\.){1,20}[A-Z][\w$]{0,100})(?:: (.*))?$/.exec(
        line,
      )
    const isCause = /^\s*Caused by: /.test(line)
    // A message goes on in lines that are set in, which may name a class too.
    if (!head || (said && !frames && !isCause && /^\s/.test(line))) continue
    if (frames && !isCause) break
    // Of an exception that has no frames of its own, for example where a class could not be initialised.
    if (said && !frames && isCause && /(?:Exception|Error|Throwable)$/.test(said.type))
      thrown.push({ ...said, frames: [] })
    said = { type: head[1] ?? '', message: head[2] ?? '' }
    frames = undefined
  }
  return thrown.every(({ frames: its }) => its.length === 0)
    ? undefined
    : { language: 'java', thrown: thrown.toReversed() }
}

/** Of no package: only what is called as exceptions are. */
const bare = /^([A-Z][\w$]{0,100}(?:Exception|Error|Throwable))(?:: (.*))?$/
const unnamed =
  /^(?:Exception in thread "[^"]{0,200}" |\s*Caused by: )([A-Z][\w$]{0,100}(?:Exception|Error|Throwable))(?:: (.*))?$/

function frameOf(line: string): Frame | undefined {
  const found =
    /^\s*at (?:[\w.@-]{0,100}\/{1,2})?([\w$.<>]{1,500})\(([^():]{1,300})(?::(\d{1,9}))?\)(?: ~?\[.*\])?$/.exec(line)
  if (!found) return undefined
  const [, name = '', file = '', number] = found
  const folder = name.split('.').slice(0, -2).join('/')
  const isNamed = /\.(?:java|kt|scala|groovy)$/.test(file)
  return {
    function: name,
    file: isNamed && folder !== '' ? `${folder}/${file}` : file,
    line: numberOr(number),
    column: null,
    owner: ownerOf(name),
  }
}

function ownerOf(name: string): Frame['owner'] {
  if (/^(?:java|javax|jdk|sun|com\.sun|jakarta\.el)\./.test(name)) return 'runtime'
  return /^(?:org\.(?:apache|springframework|hibernate|junit|eclipse|gradle|slf4j|jboss|mockito|postgresql|codehaus|testng|scala-lang|mongodb|glassfish)|com\.(?:google\.(?:common|inject|gson|protobuf)|fasterxml|zaxxer|mysql|intellij)|io\.(?:netty|grpc|micrometer|quarkus|vertx|micronaut|reactivex|undertow|lettuce)|reactor|ch\.qos\.logback|kotlin|kotlinx|scala|groovy|okhttp3|okio|retrofit2|feign|jakarta|redis\.clients|net\.bytebuddy|lombok|freemarker)\./.test(
    name,
  ) || /\$\$(?:FastClass|EnhancerBy|SpringCGLIB)/.test(name)
    ? 'library'
    : 'own'
}
