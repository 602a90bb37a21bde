import { render } from "preact";
import { Shell } from "./shell.tsx";

const app = document.getElementById("app");
if (app) render(<Shell />, app);
