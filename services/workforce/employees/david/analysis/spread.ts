/** How far the values of a column lie apart, for a query to have beside `data`. */
import { identifier } from '../table/database.ts'

/** No column begins with a blank, so none is called as these are. */
export const [MEDIAN, DEVIATION] = [identifier(' median'), identifier(' deviation')]

/** The median and the median absolute deviation, scaled to be the standard deviation of a normal distribution. */
export const around = (x: string) => `(SELECT median(${x}) AS ${MEDIAN}, 1.4826 * mad(${x}) AS ${DEVIATION} FROM data)`
