export { type BlobInfo, type Blobs, BlobTooLarge, InvalidBlobKey } from './blobs.ts'
