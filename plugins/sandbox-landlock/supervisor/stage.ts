/**
 * Indexes of the facts that the supervisor's thread tells without a message, in memory that both
 * threads share.
 */

/** The descriptor that lets it read its messages; 0 until it is up, and once that is closed. */
export const WAKE = 0;
/** 1 once it makes no more system calls. */
export const LEFT = 1;
