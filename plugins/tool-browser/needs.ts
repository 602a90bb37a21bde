import { Audit, Media, Net, Runtime, Sandbox, Upstream, optional } from "@gantry/sdk";
import { Pages } from "@gantry/sdk/fill";

export const needs = {
  runtime: Runtime,
  net: optional(Net),
  pages: optional(Pages),
  sandbox: optional(Sandbox),
  upstream: optional(Upstream),
  media: optional(Media),
  audit: optional(Audit),
};
