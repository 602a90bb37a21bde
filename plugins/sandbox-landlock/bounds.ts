/** Bounds that a confined process keeps, and by which the service knows one that does not. */

/** Each stream of a run's output may be longer by this, for what stands in place of what was taken out of it. */
export const MARK_SIGNS = 8_192;

/** What is remembered of the contents of guarded files. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** What is told beside that, as JSON; what is left out counts as not known. */
export const MAX_TOLD_BYTES = 8 * 1024 * 1024;
