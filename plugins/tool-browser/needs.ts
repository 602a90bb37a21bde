import { Audit, Media, Net, Pages, Runtime, Sandbox, Upstream, optional } from "@gantry/sdk";

export const needs = {
  runtime: Runtime,
  net: optional(Net),
  pages: optional(Pages),
  sandbox: optional(Sandbox),
  upstream: optional(Upstream),
  media: optional(Media),
  audit: optional(Audit),
};
