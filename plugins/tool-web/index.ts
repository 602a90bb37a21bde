import { webPlugin } from "./plugin.ts";

export default webPlugin(import.meta.url);
