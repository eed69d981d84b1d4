export {
  type BlobInfo,
  type BlobRange,
  BlobRangeNotSatisfiable,
  type Blobs,
  BlobTooLarge,
  InvalidBlobKey,
} from './blobs.ts'
