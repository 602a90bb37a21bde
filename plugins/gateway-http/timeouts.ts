/** Milliseconds for the headers and body of one request. */
export const arrivalMs = 10_000;
/** Milliseconds for which an idle connection is kept. */
export const keepAliveMs = 30_000;
/** Milliseconds for the last words of an answer, or of a stream that is to end. */
export const lastMs = 500;
/** Milliseconds between two heartbeats in a stream of events. */
export const heartbeatMs = 15_000;
