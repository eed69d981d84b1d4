/** Faults planted in clean pages, each as somebody makes them. */
import { languagePlants } from './plants/languages.ts'
import { offerPlants } from './plants/offers.ts'
import type { PlantedPage } from './plants/plant.ts'
import { textPlants } from './plants/texts.ts'

export type { Plant } from './plants/plant.ts'

export const plantedPages: readonly PlantedPage[] = [...offerPlants, ...textPlants, ...languagePlants]
