/**
 * The tools of a provider's author beside the contract: streams, failures, shared settings, media,
 * lists of models.
 */
export * from "./answer-stream.ts";
export * from "./carried-media.ts";
export * from "./configured-key.ts";
export * from "./failure.ts";
export * from "./json-stream.ts";
export * from "./json-values.ts";
export * from "./model-list.ts";
export * from "./model-names.ts";
export * from "./overflow.ts";
export * from "./settings.ts";
export * from "./tools-in-order.ts";
