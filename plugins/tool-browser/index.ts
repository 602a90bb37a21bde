import { browserPlugin } from "./plugin.ts";

export default browserPlugin();
