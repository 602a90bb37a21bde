import { definePlugin, Store } from "@gantry/sdk";
import { createStore } from "./store.ts";

export default definePlugin({
  name: "store-example",
  summary: "Keeps everything that must survive a restart: put your own line here.",
  provides: [Store],
  setup(host) {
    host.provide(Store, createStore());
  },
});
