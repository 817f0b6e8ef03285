// Camera, lights, the ground and the canvas. Knows nothing of recordings.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Ambient, CLEAR } from "./ambient.js";

// Background and ground, by what the visitor's system prefers.
const THEMES = {
	dark: { background: 0x262c34, ground: 0x3e454e, environment: 0.6, sun: 2.2 },
	light: { background: 0xe8ecf1, ground: 0xb4bbc4, environment: 0.55, sun: 1.8 },
};

// What shines on things: a dim room with a bright ceiling, a large soft light above the front, and two upright strips behind, which draw the
// edges of glass. Up is z.
function makeStudio() {
	const studio = new THREE.Scene(), paint = (light) => new THREE.MeshBasicMaterial({ color: new THREE.Color().setScalar(light), side: THREE.DoubleSide });
	const [wall, ceiling, floor] = [0.35, 1.6, 0.25].map(paint);
	studio.add(new THREE.Mesh(new THREE.BoxGeometry(20, 20, 20), [wall, wall, wall, wall, ceiling, floor]));
	for (const [width, height, x, y, z, light] of [[6, 4, -4, -6, 6, 7], [1.6, 9, -8, 4, 1, 9], [1.6, 9, 8, 3, 1, 9]]) {
		const panel = new THREE.Mesh(new THREE.PlaneGeometry(width, height), paint(light));
		panel.up.set(0, 0, 1);
		panel.position.set(x, y, z);
		panel.lookAt(0, 0, 0);
		studio.add(panel);
	}
	return studio;
}

const SLOW = 40; // ms a picture for a second: what costs most is left out

const MARGIN = 1.2; // room about what is framed tightly: pieces fly

export class Stage {
	constructor(canvas) {
		this.canvas = canvas;
		this.insets = { top: 0, bottom: 0 }; // px of the canvas that bars cover
		this.isFine = true; // ambient occlusion is drawn
		this.pace = { last: 0, mean: 16, slow: 0, isFixed: false };
		this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
		this.renderer.shadowMap.enabled = true;
		this.renderer.shadowMap.type = THREE.PCFShadowMap;
		this.renderer.toneMapping = THREE.NeutralToneMapping;
		this.renderer.transmissionResolutionScale = 0.5; // what is seen through glass
		this.ambient = new Ambient(this.renderer);
		this.scene = new THREE.Scene();
		this.scene.environment = new THREE.PMREMGenerator(this.renderer).fromScene(makeStudio(), 0.02).texture;
		this.sun = new THREE.DirectionalLight(0xfff4e6, 2);
		this.sun.castShadow = true;
		this.sun.shadow.mapSize.set(2048, 2048);
		this.sun.shadow.radius = 5;
		this.scene.add(this.sun, this.sun.target);
		// The ground goes on for ever: it fades into the background by fog.
		this.scene.fog = new THREE.Fog(0, 1, 10);
		this.ground = new THREE.Mesh(new THREE.CircleGeometry(1, 64), new THREE.MeshStandardMaterial({ roughness: 0.95, dithering: true }));
		this.ground.receiveShadow = true;
		this.ground.visible = false;
		this.scene.add(this.ground);
		this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
		this.camera.layers.enable(CLEAR);
		this.bounds = new THREE.Sphere(new THREE.Vector3(), 1);
		this.up = new THREE.Vector3();
		this.setUp(new THREE.Vector3(0, 0, 1));
		const isLight = matchMedia("(prefers-color-scheme: light)");
		isLight.addEventListener("change", () => this.setTheme(isLight.matches ? "light" : "dark"));
		this.setTheme(isLight.matches ? "light" : "dark");
		this.resize();
		addEventListener("resize", () => this.resize());
	}

	setTheme(name) {
		const { background, ground, environment, sun } = THEMES[name];
		this.scene.background = new THREE.Color(background);
		this.scene.fog.color.set(background);
		this.ground.material.color.set(ground);
		this.scene.environmentIntensity = environment;
		this.sun.intensity = sun;
	}

	resize() {
		const width = this.canvas.clientWidth || 1, height = this.canvas.clientHeight || 1;
		this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
		this.renderer.setSize(width, height, false);
		this.ambient.resize(width, height);
		this.camera.aspect = width / height;
		// The middle of the picture is that of what the bars leave free.
		this.camera.setViewOffset(width, height, 0, (this.insets.bottom - this.insets.top) / 2, width, height);
	}

	cover(top, bottom) {
		if (this.insets.top === top && this.insets.bottom === bottom) return;
		this.insets = { top, bottom };
		this.resize();
	}

	// Controls turn about the axis that was up when they were made.
	setUp(up) {
		if (this.up.equals(up)) return;
		this.up.copy(up);
		this.scene.environmentRotation.x = up.z > 0.5 ? 0 : -Math.PI / 2;
		this.camera.up.copy(up);
		this.controls?.dispose();
		this.controls = new OrbitControls(this.camera, this.canvas);
		this.controls.enableDamping = true;
		this.controls.maxPolarAngle = 0.49 * Math.PI; // never under the ground
	}

	// Where the ground is along `up`; null: there is none.
	setGround(height) {
		this.ground.visible = height !== null;
		if (height === null) return;
		this.ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
		this.ground.position.copy(this.up).multiplyScalar(height);
	}

	// The whole of `sphere`, or tightly of `box` inside it, from the side `from` or from the front and a little above. `up` is the axis that
	// points up.
	frame(sphere, up, from = null, box = null) {
		this.bounds = sphere.clone();
		this.setUp(up);
		const front = from?.clone() ?? (up.z > 0.5 ? new THREE.Vector3(0.4, -1, 0.34) : new THREE.Vector3(0.4, 0.34, 1));
		const middle = sphere.center.clone().addScaledVector(up, from ? 0 : -0.1 * sphere.radius); // things end up below
		const reach = this.reachOf(sphere, box, middle, front.normalize());
		this.camera.position.copy(middle).addScaledVector(front, reach);
		this.camera.near = sphere.radius / 100;
		this.camera.far = sphere.radius * 100;
		this.camera.updateProjectionMatrix();
		this.controls.target.copy(middle);
		this.controls.minDistance = 0.2 * sphere.radius;
		this.controls.maxDistance = 20 * sphere.radius;
		this.controls.update();
		this.scene.fog.near = reach + 0.5 * sphere.radius;
		this.scene.fog.far = reach + 16 * sphere.radius;
		this.ground.scale.setScalar(60 * sphere.radius);
		this.aimSun();
	}

	// How far from `middle` towards `front` all is seen between the bars.
	reachOf({ radius }, box, middle, front) {
		const free = Math.max(1 - (this.insets.top + this.insets.bottom) / (this.canvas.clientHeight || 1), 0.3);
		const wide = Math.tan((this.camera.fov * Math.PI) / 360), slopes = [wide * this.camera.aspect, wide * free];
		if (!box) return (1.1 * radius) / Math.sin(Math.atan(Math.min(...slopes)));
		const side = new THREE.Vector3().crossVectors(this.up, front).normalize(), above = new THREE.Vector3().crossVectors(front, side);
		let reach = 0;
		for (let i = 0; i < 8; ++i) {
			const [x, y, z] = [0, 1, 2].map((k) => (i & (1 << k) ? box.max : box.min).getComponent(k));
			const corner = new THREE.Vector3(x, y, z).sub(middle);
			reach = Math.max(reach, corner.dot(front) + MARGIN * Math.max(Math.abs(corner.dot(side)) / slopes[0], Math.abs(corner.dot(above)) / slopes[1]));
		}
		return reach;
	}

	aimSun() {
		const { center, radius } = this.bounds;
		const side = this.up.z > 0.5 ? new THREE.Vector3(0.8, -0.5, 1.6) : new THREE.Vector3(0.8, 1.6, 0.5);
		this.sun.position.copy(center).addScaledVector(side.normalize(), 8 * radius);
		this.sun.target.position.copy(center);
		this.sun.shadow.bias = -0.0003;
		this.sun.shadow.normalBias = 0.003 * radius; // less than walls are thick
		const shadow = this.sun.shadow.camera;
		shadow.left = shadow.bottom = -2.5 * radius;
		shadow.right = shadow.top = 2.5 * radius;
		shadow.near = 2 * radius;
		shadow.far = 16 * radius;
		shadow.updateProjectionMatrix();
	}

	// Ambient occlusion goes where drawing is slow, and stays away.
	measurePace() {
		const now = performance.now(), passed = Math.min(now - this.pace.last, 200);
		this.pace.last = now;
		this.pace.mean += 0.1 * (passed - this.pace.mean);
		this.pace.slow = this.pace.mean > SLOW ? this.pace.slow + passed : 0;
		return this.pace.isFixed || this.pace.slow < 1000;
	}

	draw() {
		// Moved about by hand, what is looked at stays above the ground, and so does the camera.
		const under = this.ground.visible ? this.ground.position.dot(this.up) - this.controls.target.dot(this.up) : 0;
		if (under > 0) this.controls.target.addScaledVector(this.up, under), this.camera.position.addScaledVector(this.up, under);
		this.controls.update();
		this.renderer.render(this.scene, this.camera);
		if (this.isFine) this.isFine = this.measurePace();
		if (this.isFine) this.ambient.draw(this.scene, this.camera, 0.3 * this.bounds.radius);
	}
}
