import type { BigIntStats } from "node:fs";

/** What tells a file from every other: the number of one that is gone is soon that of a new one. */
export const identityOf = ({ dev, ino, birthtimeNs }: BigIntStats): string => `${dev}:${ino}:${birthtimeNs}`;
