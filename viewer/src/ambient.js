// Ambient occlusion: less light comes into corners and under what lies on the ground. From the depths of what is opaque, in the space of the
// picture (after McGuire, Mara and Luebke: Scalable Ambient Obscurance, 2012), multiplied onto the finished picture, which stays as smooth as
// it was. Glass is on a layer that casts none.

import * as THREE from "three";

export const CLEAR = 2; // the layer of what light goes through

const VERTEX = "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }";

const GATHER = `
uniform sampler2D depths; uniform mat4 back; uniform vec2 reach; uniform float radius; varying vec2 at;
vec3 place(vec2 p) { vec4 q = back * vec4(2.0 * vec3(p, texture2D(depths, p).x) - 1.0, 1.0); return q.xyz / q.w; }
vec3 lesser(vec3 a, vec3 b) { return dot(a, a) < dot(b, b) ? a : b; }
void main() {
	gl_FragColor = vec4(1.0);
	if (texture2D(depths, at).x >= 1.0) return;
	vec2 texel = 1.0 / vec2(textureSize(depths, 0));
	vec3 p = place(at), x = vec3(texel.x, 0.0, 0.0), y = vec3(0.0, texel.y, 0.0);
	vec3 along = lesser(place(at + x.xy) - p, p - place(at - x.xy)), up = lesser(place(at + y.xy) - p, p - place(at - y.xy));
	vec3 n = normalize(cross(along, up));
	vec2 cell = mod(floor(gl_FragCoord.xy), 4.0);
	float turn = 6.2831853 * (mod(5.0 * cell.x + 7.0 * cell.y, 16.0) + 0.5) / 16.0, sum = 0.0;
	vec2 wide = min(reach / max(-p.z, 1e-6), 0.25);
	for (int i = 0; i < COUNT; ++i) {
		float part = (float(i) + 0.5) / float(COUNT), angle = turn + 2.3999632 * float(i);
		vec3 v = place(at + part * wide * vec2(cos(angle), sin(angle))) - p;
		float far = dot(v, v), near = max(radius * radius - far, 0.0), above = dot(v, n) + 0.0015 * p.z;
		sum += near * near * near * max(above / (far + 1e-4 * radius * radius), 0.0);
	}
	float most = radius * radius * radius * radius * radius;
	gl_FragColor = vec4(vec3(max(1.0 - STRENGTH * sum / (most * float(COUNT)), 0.3)), 1.0);
}`;

// Sixteen turns lie side by side: their mean, over what is about as far away.
const SMOOTH = `
uniform sampler2D depths, light; uniform vec2 range; varying vec2 at;
float away(vec2 p) { return range.x * range.y / (range.y - texture2D(depths, p).x * (range.y - range.x)); }
void main() {
	vec2 texel = 1.0 / vec2(textureSize(light, 0));
	float middle = away(at), sum = 0.0, weight = 1e-4;
	for (int i = 0; i < 16; ++i) {
		vec2 p = at + texel * (vec2(float(i % 4), float(i / 4)) - 1.5);
		float w = max(1.0 - 40.0 * abs(away(p) - middle) / middle, 0.0);
		sum += w * texture2D(light, p).x;
		weight += w;
	}
	gl_FragColor = vec4(vec3(mix(1.0, sum / weight, step(1e-3, weight))), 1.0);
}`;

function makePass(fragmentShader, uniforms, more) {
	const material = new THREE.ShaderMaterial({ vertexShader: VERTEX, fragmentShader, uniforms, depthTest: false, depthWrite: false, toneMapped: false, ...more });
	const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
	mesh.frustumCulled = false;
	return mesh;
}

export class Ambient {
	constructor(renderer) {
		this.renderer = renderer;
		this.depth = new THREE.WebGLRenderTarget(1, 1, { depthTexture: new THREE.DepthTexture(1, 1) });
		this.light = new THREE.WebGLRenderTarget(1, 1, { depthBuffer: false });
		this.opaque = new THREE.MeshBasicMaterial({ colorWrite: false, side: THREE.DoubleSide });
		this.view = new THREE.Camera();
		const depths = { value: this.depth.depthTexture };
		this.gather = makePass(GATHER, { depths, back: { value: new THREE.Matrix4() }, reach: { value: new THREE.Vector2() }, radius: { value: 1 } }, { defines: { COUNT: 14, STRENGTH: "1.5" } });
		this.smooth = makePass(SMOOTH, { depths, light: { value: this.light.texture }, range: { value: new THREE.Vector2() } }, {
			transparent: true, blending: THREE.CustomBlending, blendSrc: THREE.ZeroFactor, blendDst: THREE.SrcColorFactor,
		});
	}

	resize(width, height) {
		this.depth.setSize(width, height);
		this.light.setSize(width, height);
	}

	// Onto the picture that was just drawn; what is farther apart than `radius` does not shade each other. [m]
	draw(scene, camera, radius) {
		const { renderer, gather, smooth } = this, { background } = scene;
		const wasCleared = renderer.autoClear, hadShadows = renderer.shadowMap.autoUpdate;
		renderer.shadowMap.autoUpdate = false;
		camera.layers.disable(CLEAR);
		scene.overrideMaterial = this.opaque;
		scene.background = null;
		renderer.setRenderTarget(this.depth);
		renderer.render(scene, camera);
		scene.background = background;
		scene.overrideMaterial = null;
		camera.layers.enable(CLEAR);
		const { uniforms } = gather.material, { elements } = camera.projectionMatrix;
		uniforms.back.value.copy(camera.projectionMatrixInverse);
		uniforms.reach.value.set(0.5 * radius * elements[0], 0.5 * radius * elements[5]);
		uniforms.radius.value = radius;
		smooth.material.uniforms.range.value.set(camera.near, camera.far);
		renderer.setRenderTarget(this.light);
		renderer.render(gather, this.view);
		renderer.setRenderTarget(null);
		renderer.autoClear = false;
		renderer.render(smooth, this.view);
		renderer.autoClear = wasCleared;
		renderer.shadowMap.autoUpdate = hadShadows;
	}
}
