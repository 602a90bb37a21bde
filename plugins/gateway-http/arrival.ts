/** Milliseconds for the headers and body of one request. */
export const arrivalMs = 10_000;
