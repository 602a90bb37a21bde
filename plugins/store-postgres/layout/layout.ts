import { answerFunctions } from "./answer-functions.ts";
import { laneFunctions } from "./lane-functions.ts";
import { otherFunctions } from "./other-functions.ts";
import { tables } from "./tables.ts";

/**
 * The layout of the database, one step per release that changed it. A step is never edited once
 * shipped. Nodes of two releases use one database, so a step only adds, and a function that
 * changes gets another name; what nobody uses any more goes with the step of a later release,
 * which names in {@link oldest} the first layout whose releases can live with that.
 */
export const layout: readonly string[] = [
  [tables, laneFunctions, answerFunctions, otherFunctions].join("\n"),
];

/** Releases that know a lower layout than this cannot use the database any more. */
export const oldest = 1;
