import hits from './hit.js'

const { hit } = hits
export const shapes = {
  moduleFunction() { exported() },
  async moduleAwait() { await awaiting() },
  moduleMap: () => [1].map(() => hit()),
}
export function exported() {
  hit()
}
async function awaiting() {
  await null
  hit()
}
export default () => { hit() }
export const functions = [...Object.values(shapes), exported, awaiting]
hit()
await null
hit()
