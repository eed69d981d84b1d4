/** A page that people read as HTML and programs as JSON: by `Accept`. */
import { qualities, qualityOf } from '@millhand/api'
import { entityTag, isHeld } from '../etag.ts'
import type { Endpoint } from '../pipeline/match.ts'
import type { HtmlPage } from './html.ts'

export interface Negotiated<Content extends object> {
  readonly path: string
  /** What the page says at that moment: what its JSON shows. While it is the same object, the page is written once. */
  content(): Promise<Content> | Content
  write(content: Content): HtmlPage
}

/** The endpoint of a page. It is HTML, except where the caller would rather have JSON. */
export function negotiated<Content extends object>({ path, content, write }: Negotiated<Content>): Endpoint {
  const json = onceEach((found: Content) => tagged(['Content-Type', 'application/json'], JSON.stringify(found)))
  const html = onceEach((found: Content) => {
    const { text, policy } = write(found)
    return tagged(['Content-Type', 'text/html; charset=utf-8', 'Content-Security-Policy', policy], text)
  })
  return {
    method: 'GET',
    pattern: path,
    async handle(exchange) {
      const found = await content()
      const { headers, body, tag } = prefersJson(exchange.header('accept')) ? json(found) : html(found)
      const always = ['ETag', tag, 'Cache-Control', 'no-cache', 'Vary', 'Accept', 'X-Content-Type-Options', 'nosniff']
      if (isHeld(tag, exchange.header('if-none-match'))) exchange.send(304, always)
      else exchange.send(200, [...headers, ...always], body)
    },
  }
}

const tagged = (headers: readonly string[], body: string) => ({ headers, body, tag: entityTag(body) })

/** What is made of each content, once. */
function onceEach<Content extends object, Made>(make: (content: Content) => Made): (content: Content) => Made {
  const made = new WeakMap<Content, Made>()
  return content => {
    const known = made.get(content) ?? make(content)
    made.set(content, known)
    return known
  }
}

function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const asked = qualities(accept)
  return qualityOf('application/json', asked) > qualityOf('text/html', asked)
}
