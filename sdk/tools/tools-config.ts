import { Type } from "typebox";

/** Keys of `[tools]` that the host and more than one plugin read, stated once. */
export const toolsKeys = {
  max_output_bytes: Type.Integer({
    default: 1_048_576,
    minimum: 1_024,
    maximum: 104_857_600,
    description: "A tool's output beyond this is cut, and the cut is said.",
  }),
  browser_timeout_seconds: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3_600,
    description: "How long opening a page may take.",
  }),
};
