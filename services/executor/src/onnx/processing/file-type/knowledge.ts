/** What a Magika model comes with: its labels and limits (`config.min.json`), and what each type of file is (`content_types_kb.min.json`). */
import { readFile } from 'node:fs/promises'
import { isObject } from '@millhand/model'

/** Of version 3 of the model's configuration. */
export interface Config {
  /** How many tokens the model reads of the beginning and of the end. */
  readonly beginning: number
  readonly end: number
  /** Stands where there is no byte. */
  readonly padding: number
  /** How many bytes of the beginning and of the end are looked at. */
  readonly block: number
  /** With fewer bytes the model is not asked. */
  readonly leastBytes: number
  /** By the place of their score. */
  readonly labels: readonly string[]
  /** The least score with which a label is believed, where it has one of its own. */
  readonly thresholds: ReadonlyMap<string, number>
  readonly threshold: number
  /** Labels that are answered as another. */
  readonly overwrites: ReadonlyMap<string, string>
}

/** A type of file. */
export interface FileType {
  readonly media_type: string
  readonly group: string
  readonly description: string
  readonly extensions: readonly string[]
  readonly is_text: boolean
}

/** Of what the model is not asked about, or not believed. */
export const GENERIC = { empty: 'empty', text: 'txt', binary: 'unknown' } as const

/** Rejects with what is wrong with the files. */
export async function readKnowledge(files: Readonly<Record<string, string>>) {
  const config = readConfig(await readJson(files.config, 'config'))
  const types = readTypes(await readJson(files.types, 'types'))
  for (const label of [...config.labels, ...config.overwrites.values(), ...Object.values(GENERIC)]) {
    if (!types.has(label)) throw new Error(`its file of types does not have ${label}`)
  }
  return { config, types }
}

async function readJson(path: string | undefined, name: string): Promise<Fields> {
  const document: unknown = JSON.parse(await readFile(path ?? '', 'utf8'))
  return isObject(document) ? document : broken(name)
}

/** The largest block that is read of a file, and the most tokens. */
const MOST_BYTES = 2 ** 20

function readConfig(fields: Fields): Config {
  const count = (key: string, least: number, most: number): number => {
    const value = fields[key]
    return Number.isInteger(value) && Number(value) >= least && Number(value) <= most ? Number(value) : broken(key)
  }
  if (fields.mid_size !== 0 || fields.use_inputs_at_offsets !== false) broken('mid_size')
  const block = count('block_size', 1, MOST_BYTES)
  const beginning = count('beg_size', 1, block)
  const { target_labels_space: labels, medium_confidence_threshold: threshold } = fields
  return {
    beginning,
    end: count('end_size', 1, block),
    padding: count('padding_token', 256, 65_535),
    block,
    leastBytes: count('min_file_size_for_dl', 1, beginning),
    labels: Array.isArray(labels) && labels.every(isText) ? labels : broken('target_labels_space'),
    thresholds: readMap(fields, 'thresholds', isNumber),
    threshold: isNumber(threshold) ? threshold : broken('medium_confidence_threshold'),
    overwrites: readMap(fields, 'overwrite_map', isText),
  }
}

function readMap<T>(fields: Fields, key: string, fits: (value: unknown) => value is T): ReadonlyMap<string, T> {
  const entries = Object.entries(isObject(fields[key]) ? fields[key] : broken(key))
  return new Map(entries.map(([label, value]) => [label, fits(value) ? value : broken(key)]))
}

function readTypes(fields: Fields): ReadonlyMap<string, FileType> {
  return new Map(Object.entries(fields).map(([label, type]) => [label, readType(label, type)]))
}

/** Null where nobody has said it: then it is as generic as can be. */
function readType(label: string, type: unknown): FileType {
  if (!isObject(type) || typeof type.is_text !== 'boolean') return broken(label)
  const { mime_type, group, description, extensions, is_text } = type
  const text = (value: unknown, otherwise: string) =>
    value === null ? otherwise : isText(value) ? value : broken(label)
  return {
    media_type: text(mime_type, is_text ? 'text/plain' : 'application/octet-stream'),
    group: text(group, 'unknown'),
    description: text(description, label),
    extensions: Array.isArray(extensions) && extensions.every(isText) ? extensions : broken(label),
    is_text,
  }
}

function broken(what: string): never {
  throw new Error(`its configuration cannot be read: ${what}`)
}

type Fields = Readonly<Record<string, unknown>>

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isNumber = (value: unknown): value is number => Number.isFinite(value)
