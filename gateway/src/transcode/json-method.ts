/** One method of the contract as an endpoint: a request becomes its message, its answer becomes JSON. */
import type { DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import type { ContextValues, Transport } from '@connectrpc/connect'
import { jsonWriter, type RouteOf } from '@millhand/api'
import { check, compile, operationKey } from '@millhand/rpc'
import { type AdmitDeps, createAdmit, createAdmitBody, createAdmitCaller, createIsFull } from '../admission/admit.ts'
import type { Caller } from '../admission/caller.ts'
import type { Concurrency } from '../admission/concurrency.ts'
import { requireScope } from '../admission/scope.ts'
import { entityTag, isHeld } from '../conditional.ts'
import type { Endpoint, Params } from '../dispatch.ts'
import { CallerGone, type Exchange } from '../exchange.ts'
import { fingerprintOf } from '../idempotency/fingerprint.ts'
import type { Idempotency, KeyedRequest } from '../idempotency/idempotency.ts'
import { idempotencyKeyOf } from '../idempotency/key.ts'
import type { Done } from '../idempotency/stored-reply.ts'
import { preferredWait } from '../prefer.ts'
import { type Reply, sendBody } from '../reply.ts'
import { createdEvents } from '../streams/created.ts'
import type { Streams } from '../streams/streams.ts'
import { CALL_MS, callValues } from './call.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import { locationOf } from './location.ts'
import { parseQuery } from './query.ts'
import { withQuota } from './quota.ts'
import { requestReader } from './request.ts'
import type { Waiting } from './waiting.ts'

export interface JsonMethodDeps extends AdmitDeps {
  readonly transport: Transport
  readonly waiting: Waiting
  readonly streams: Streams
  readonly idempotency: Idempotency
  /** The bytes of bodies, each until its request is answered but for a stream. */
  readonly bodies: Concurrency
  /** The bytes of large answers to reads, each until it is sent. */
  readonly answers: Concurrency
}

export interface JsonMethod {
  readonly handle: Endpoint['handle']
  /** The same of a request whose caller is admitted and whose body is read already: it shows whose request that is. */
  readonly handleRead: (
    exchange: Exchange,
    params: Params,
    query: string,
    read: { readonly caller: Caller; readonly body: Promise<JsonBody> },
  ) => Promise<void>
  /** What a caller must hold. */
  readonly scope: string
  /** Whether it is known here that the caller's window has no room for the request. Counts nothing. */
  readonly isFull: (exchange: Exchange, caller: Caller) => boolean
  /** Admits who is known. Fails with 403 or 429. */
  readonly admit: (exchange: Exchange, caller: Caller) => Caller | Promise<Caller>
}

export function jsonMethod(route: RouteOf<'json'>, deps: JsonMethodDeps): JsonMethod {
  const { desc: method, answer, access } = route
  const { transport, waiting, streams, idempotency, bodies, answers } = deps
  const admit = createAdmit(route, deps)
  const admitBody = createAdmitBody(route, deps.limiter)
  const hasBody = route.body === '*'
  const read = requestReader(route)
  const write = jsonWriter(method.output)
  const tagOf = tagger(method)
  const location = answer.location === '' ? undefined : locationOf(answer.location, method.output)
  const wait = answer.wait ? waiting.of(method) : undefined
  const events = answer.stream ? createdEvents(route, streams) : undefined
  const isRead = route.method === 'GET'
  const isPost = route.method === 'POST'
  const isSecret = answer.secret
  if (isPost) compile(method.input)

  /** Whether the caller would not wait any longer: what it holds is another state than this. */
  const isNews = (message: Answer, held: string | undefined) =>
    answer.etag && held !== undefined && !isHeld(tagOf(message, write(message)), held)

  async function readAsked(
    exchange: Exchange,
    caller: Caller,
    params: Params,
    query: string,
    reading?: Promise<JsonBody>,
  ): Promise<Asked> {
    using onFailure = new DisposableStack()
    const given = await reading
    onFailure.use(given?.held)
    const key = isPost ? idempotencyKeyOf(exchange) : undefined
    const body = given ?? (hasBody ? await readJsonBody(exchange, caller, bodies) : undefined)
    onFailure.use(body?.held)
    if (body !== undefined) await admitBody(exchange, caller, body.bytes.length)
    const request = body === undefined ? read.fromQuery(params, parseQuery(query)) : read.fromBody(params, query, body)
    if (key !== undefined) check(method.input, request) // What is no request is not kept.
    const fingerprint = () => fingerprintOf(exchange, body?.bytes ?? '')
    const keyed = key === undefined ? undefined : { key, fingerprint: fingerprint(), isSecret }
    const held = onFailure.move()
    return { request, keyed, wantsEvents: events?.areWanted(exchange, request) === true, held }
  }

  /** The service's answer. What it says of its quota is said to the caller, whatever the answer is. */
  async function ask(exchange: Exchange, request: Request, values: ContextValues): Promise<Answer> {
    const asking = transport.unary(method, undefined, exchange.leftOf(CALL_MS), undefined, request, values)
    return (await (access.tellsQuota ? withQuota(exchange, asking) : asking)).message
  }

  /** Calls the service; `operation` is what the call is part of, which is completed whether its caller stays or not. */
  async function call(
    exchange: Exchange,
    caller: Caller,
    { request, wantsEvents }: Asked,
    operation?: string,
  ): Promise<Done> {
    const { headers } = exchange.req
    const values = callValues(caller, exchange).set(operationKey, operation)
    let message = await ask(exchange, request, values)
    if (answer.forgets) await idempotency.forget(exchange, caller, idOf(message))
    const said: string[] = []
    if (location !== undefined) said.push('Location', location(message))
    if (wantsEvents) return { reply: eventsReply(answer.status, said, message) }
    let isAwaited = false
    const seconds = wait !== undefined && headers.prefer !== undefined ? preferredWait(exchange.header('prefer')) : 0
    if (wait !== undefined && seconds > 0) {
      const first = { message, isApplied: true }
      const waited = isNews(message, headers['if-none-match'])
        ? first
        : await wait.until(exchange, caller, message, seconds, isRead).catch((error: unknown) => {
            if (operation === undefined || !(error instanceof CallerGone)) throw error
            return first
          })
      message = waited.message
      if (waited.isApplied) said.push('Preference-Applied', 'wait')
      isAwaited = waited.isApplied
    }
    const scope = isAwaited || hasEnded(message) ? wait?.scope : undefined
    if (scope !== undefined) requireScope(caller, scope)
    const text = write(message)
    if (answer.etag) {
      const tag = tagOf(message, text)
      said.push('ETag', tag)
      if (isRead && isHeld(tag, headers['if-none-match'])) return { reply: bodyReply(304, said, undefined) }
    }
    return { reply: bodyReply(answer.status, ['Content-Type', 'application/json', ...said], text), scope }
  }

  async function once(exchange: Exchange, caller: Caller, asked: Asked, keyed: KeyedRequest): Promise<Reply> {
    const begun = await idempotency.begin(exchange, caller, keyed)
    if (begun.kind === 'answered') return await begun.replay()
    const { operation } = begun
    return await operation.settle(() => call(exchange, caller, asked, operation.id))
  }

  const waits = (exchange: Exchange) => wait !== undefined && preferredWait(exchange.header('prefer')) > 0

  /** What the caller is answered with, and the place that its stream has, where it wants one. */
  async function replyTo(exchange: Exchange, caller: Caller, asked: Asked): Promise<Prepared> {
    using _body = asked.held // First: the others may be refused.
    using places = new DisposableStack()
    if (asked.wantsEvents && events !== undefined) places.use(events.admit(caller))
    using _wait = waits(exchange) && !asked.wantsEvents ? waiting.take(caller) : undefined
    const reply = asked.keyed
      ? await once(exchange, caller, asked, asked.keyed)
      : (await call(exchange, caller, asked)).reply
    if (reply.kind === 'events' && !asked.wantsEvents && events !== undefined) places.use(events.admit(caller))
    return { reply, places: places.move() }
  }

  /** In a function of its own: a stream stays open for long, and must not keep an input. */
  async function answerWith(exchange: Exchange, caller: Caller, { reply, places }: Prepared): Promise<void> {
    using _ = places
    if (reply.kind === 'body') {
      const { length = 0 } = reply.body ?? ''
      // A read has changed nothing, and can be refused as late as this.
      if (isRead && length > SMALL_ANSWER) exchange.hold(answers.take(caller, length))
      return sendBody(exchange, reply)
    }
    if (events === undefined) throw new Error(`${method} has no events to answer with`)
    exchange.release() // It counts as a stream from here on, and not as a request.
    await events.send(exchange, caller, reply)
  }

  return {
    async handle(exchange, params, query) {
      const admitted = admit(exchange)
      const caller = admitted instanceof Promise ? await admitted : admitted
      const prepared = await replyTo(exchange, caller, await readAsked(exchange, caller, params, query))
      return answerWith(exchange, caller, prepared)
    },
    scope: access.scope,
    isFull: createIsFull(route, deps.limiter),
    admit: createAdmitCaller(route, deps),
    async handleRead(exchange, params, query, { caller, body }) {
      const prepared = await replyTo(exchange, caller, await readAsked(exchange, caller, params, query, body))
      return answerWith(exchange, caller, prepared)
    },
  }
}

/** Bytes. As many answers of this size as an account may have requests take little room. */
const SMALL_ANSWER = 16_384

/** An answer before it is sent. */
interface Prepared {
  readonly reply: Reply
  readonly places: Disposable
}

type Request = MessageShape<DescMethodUnary['input']>
type Answer = MessageShape<DescMethodUnary['output']>

/** Whether it shows what became of it, as who waits for that is shown it. */
const hasEnded = (message: Answer) => (message as { readonly finishedAt?: object }).finishedAt !== undefined

/** A request that was read. */
interface Asked {
  readonly request: Request
  /** Set where it came with an idempotency key. */
  readonly keyed: KeyedRequest | undefined
  /** Whether it is answered with the events of what it makes. */
  readonly wantsEvents: boolean
  /** What its body holds. */
  readonly held: Disposable
}

const bodyReply = (status: number, headers: readonly string[], body: string | undefined): Reply => ({
  kind: 'body',
  status,
  headers,
  body,
})

const eventsReply = (status: number, headers: readonly string[], made: Answer): Reply => ({
  kind: 'events',
  status,
  headers,
  made: idOf(made),
})

const idOf = (message: Answer) => (message as Answer & { readonly id: string }).id

/** Fields that only estimate something: an ETag leaves them out, or it would change while nothing has. */
const estimates = ['position']

/** The ETag of an answer whose JSON text is known already. */
function tagger({ output }: DescMethodUnary): (message: Answer, text: string) => string {
  const write = jsonWriter(output, { omit: estimates })
  const locals = output.fields.filter(({ name }) => estimates.includes(name)).map(({ localName }) => localName)
  return (message, text) => {
    const hasEstimate = locals.some(local => (message as Record<string, unknown>)[local] !== undefined)
    return entityTag(hasEstimate ? write(message) : text)
  }
}
