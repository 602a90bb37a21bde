/**
 * `owner`: may approve. `member`: on the allowlist. `guest`: let in by `*`. All three speak: their
 * text is the user's message. What they quote, forward or attach is material.
 */
export type Trust = "owner" | "member" | "guest";
