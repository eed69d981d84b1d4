/** What each platform allows, and how it counts. The sources are the platforms' own pages for developers. */
import { graphemes, utf8Bytes, webLength, weightedLength, withEmojisAsBytes } from '../lengths.ts'

export const platformIds = ['x', 'linkedin', 'facebook', 'instagram', 'threads', 'mastodon', 'bluesky'] as const
export type PlatformId = (typeof platformIds)[number]

export interface Platform {
  readonly name: string
  readonly limit: number
  readonly countedAs: string
  readonly lengthOf: (text: string, link: string | undefined) => number
  /** Another limit that holds beside it. */
  readonly bytes?: number
  /** How many hashtags it takes, or are of use. */
  readonly tags: number
  readonly emojis: number
  /** Whether a link in the text can be followed. */
  readonly hasLinks: boolean
  /** Statements that readers of it read. */
  readonly statements: number
}

export const platforms: Readonly<Record<PlatformId, Platform>> = {
  x: {
    name: 'X',
    limit: 280,
    countedAs: 'weighted characters: letters of Latin and its neighbours 1, others and emojis 2, a link 23',
    lengthOf: weightedLength,
    tags: 2,
    emojis: 2,
    hasLinks: true,
    statements: 3,
  },
  linkedin: {
    name: 'LinkedIn',
    limit: 3_000,
    countedAs: 'UTF-16 code units',
    lengthOf: text => text.length,
    tags: 5,
    emojis: 3,
    hasLinks: true,
    statements: 8,
  },
  facebook: {
    name: 'Facebook',
    limit: 63_206,
    countedAs: 'UTF-16 code units',
    lengthOf: text => text.length,
    tags: 3,
    emojis: 3,
    hasLinks: true,
    statements: 5,
  },
  instagram: {
    name: 'Instagram',
    limit: 2_200,
    countedAs: 'UTF-16 code units',
    lengthOf: text => text.length,
    tags: 5,
    emojis: 5,
    hasLinks: false,
    statements: 6,
  },
  threads: {
    name: 'Threads',
    limit: 500,
    countedAs: 'characters, emojis as their bytes in UTF-8',
    lengthOf: withEmojisAsBytes,
    tags: 1,
    emojis: 3,
    hasLinks: true,
    statements: 5,
  },
  mastodon: {
    name: 'Mastodon',
    limit: 500,
    countedAs: 'grapheme clusters, a link 23',
    lengthOf: webLength,
    tags: 4,
    emojis: 3,
    hasLinks: true,
    statements: 5,
  },
  bluesky: {
    name: 'Bluesky',
    limit: 300,
    countedAs: 'grapheme clusters, and at most 3,000 bytes in UTF-8',
    lengthOf: graphemes,
    bytes: 3_000,
    tags: 3,
    emojis: 2,
    hasLinks: true,
    statements: 3,
  },
}

/** Whether a text with this link in it may be posted. */
export const fits = ({ limit, lengthOf, bytes }: Platform, text: string, link: string | undefined): boolean =>
  lengthOf(text, link) <= limit && (bytes === undefined || utf8Bytes(text) <= bytes)
