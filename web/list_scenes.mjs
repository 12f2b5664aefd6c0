// node list_scenes.mjs FOLDER: writes FOLDER/index.json, with the title of each scene there and the files that it needs.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const folder = process.argv[2];
const names = readdirSync(folder).filter((name) => name !== "index.json").sort();
const scenes = names
  .filter((name) => name.endsWith(".json"))
  .map((name) => [name, JSON.parse(readFileSync(`${folder}/${name}`, "utf8"))])
  .filter(([, scene]) => scene.title)
  .map(([name, scene]) => ({ file: name, title: scene.title, description: scene.description }));
// The text of a scene names its mesh and skeleton files.
for (const scene of scenes) {
  const text = readFileSync(`${folder}/${scene.file}`, "utf8");
  const stems = names.filter((name) => !name.endsWith(".json") && text.includes(name)).map((name) => name.replace(/\.[^.]*$/, ""));
  scene.needs = names.filter((name) => !name.endsWith(".json") && stems.includes(name.replace(/\.[^.]*$/, "")));
}
writeFileSync(`${folder}/index.json`, JSON.stringify(scenes, null, 1));
